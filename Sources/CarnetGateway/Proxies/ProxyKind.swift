import CarnetLint

/// A reverse proxy, and how its configuration is made.
package struct ProxyKind: Sendable {
    /// As people write it.
    package let name: String
    /// Where its files usually are.
    package let folder: String
    /// Whether it can reach the gateway by a Unix socket.
    package var takesSockets = false
    /// What it needs for https.
    package var certificate = Certificate.files
    /// Whether `*.` and a domain stand for names of one more label only, other than in the gateway file.
    package var starIsOneLabel = false
    /// The files without the secret.
    package let files: @Sendable (ProxySetup) -> [ProxyFile]
    /// The file that has the secret; by default an environment file for the proxy's unit.
    package var secretFile: @Sendable (ProxySetup, _ variable: String, _ secret: String) -> ProxyFile = {
        _, variable, secret in
        ProxyFile(path: environmentFile, text: "\(variable)=\(secret)\n", isPrivate: true)
    }

    /// Throws `WritingError` for what this proxy alone cannot express.
    package var check: @Sendable (ProxySetup) throws -> Void = { _ in }
    /// What to do when the files are written.
    package let next: @Sendable (ProxySetup) -> [String]

    package enum Certificate {
        /// A file with the certificate and its chain, and one with the key.
        case files
        /// The same, or nothing: it obtains certificates itself.
        case filesOrNone
        /// The key is in the file, or in one with `.key` at the end of its name.
        case oneFile
        /// The name of a Secret of the cluster, in which gateway and programs are services.
        case secret
    }

    package var isCluster: Bool { certificate == .secret }

    package static let all = [nginx, caddy, traefik, traefikKubernetes, haproxy, apache]
    static let environmentFile = "carnet-proxy.env"

    /// The step that gives the proxy its secret, with the folder of a unit of systemd.
    static func environmentStep(_ setup: ProxySetup, unit: String) -> [String] {
        setup.secretVariable == nil
            ? []
            : [
                "add to the unit, by systemctl edit \(unit): [Service], and below it EnvironmentFile=\(setup.folder)/\(environmentFile)"
            ]
    }
}

/// A file of a proxy.
package struct ProxyFile: Sendable {
    /// Below the folder of the proxy.
    package let path: String
    package let text: String
    /// Whether it has the secret.
    package var isPrivate = false
}
