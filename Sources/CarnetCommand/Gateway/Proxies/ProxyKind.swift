/// A reverse proxy, and how its configuration is made.
struct ProxyKind: Sendable {
    /// As people write it.
    let name: String
    /// Where its files usually are.
    let folder: String
    /// Whether it can reach the gateway by a Unix socket.
    let takesSockets: Bool
    /// Whether `*.` and a domain stand for names of one more label only, other than in the gateway file.
    var starIsOneLabel = false
    /// The files without the secret.
    let files: @Sendable (ProxySetup) -> [ProxyFile]
    /// The file that has the secret; by default an environment file for the proxy's unit.
    var secretFile: @Sendable (_ variable: String, _ secret: String) -> ProxyFile = { variable, secret in
        ProxyFile(path: environmentFile, text: "\(variable)=\(secret)\n", isPrivate: true)
    }
    /// What to do when the files are written.
    let next: @Sendable (ProxySetup) -> [String]

    static let all = [nginx, caddy, traefik, haproxy, apache]
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
struct ProxyFile: Sendable {
    /// Below the folder of the proxy.
    let path: String
    let text: String
    /// Whether it has the secret.
    var isPrivate = false
}
