import Carnet
import CarnetFoundation
import CarnetGateway
import CarnetPostgreSQL
import CarnetProtocol
import CarnetStorage

/// The store of a gateway's sessions and tokens, and the keys of its cookies, as the gateway file says.
struct GatewayStore: Sendable {
    let tokens: any EncryptedStore
    /// For the log.
    let name: String
    private let key: StoreKeySource

    /// - Parameter folder: That of the gateway file.
    /// - Throws: `Failure` for a secret that is not where it should be.
    init(_ rules: GatewaySessionRules, below folder: String, _ environment: HostEnvironment) throws {
        let address = try rules.store.map { try $0.value(below: folder, environment, "session.store").reveal() }
        let usualKey = environment.configurationFolder + "/gateway-key"
        let isShared = address.map { $0.hasPrefix("postgresql://") || $0.hasPrefix("postgres://") } ?? false
        switch rules.key {
        case .file(let path): key = .file(Path.below(folder, path))
        case .environment(let name): key = .environment(name) { environment[$0] }
        case .inline(let text): key = .keys(try KeyRing(text: text.reveal()))
        case nil:
            guard !isShared else {
                throw Failure(
                    .usage, "a store that several machines share needs session.key_env or session.key_file",
                    next: ["make a key for all replicas: openssl rand -base64 32"])
            }
            key = .file(usualKey)
            try ConfigurationFolder(environment).create()
        }
        guard let address else {
            let path = environment.dataFolder + "/gateway"
            try PrivateFolder(path: environment.dataFolder).createIfMissing()
            (tokens, name) = (FileTokenStore(folder: path, key: key), "files:\(path)")
            return
        }
        if isShared {
            tokens = PostgreSQLStore(PostgreSQLConfiguration(Secret(address), tls: Self.tls(of: address)), key: key)
            name = "postgresql"
        } else if let path = address.dropping("files:") {
            let path = Path.below(folder, path)
            (tokens, name) = (FileTokenStore(folder: path, key: key), "files:\(path)")
        } else {
            throw Failure(
                .usage, "session.store is not the address of a store",
                next: ["write files:FOLDER or postgresql://HOST/DATABASE"])
        }
    }

    /// The keys that encrypt the cookies: those of the records.
    func keys() async throws -> KeyRing {
        try await key.keysToEncrypt(in: name, random: SystemRandomSource()) {
            try await tokens.inventory().accounts.isEmpty
        }
    }

    /// As the address says; by default the certificate is validated.
    private static func tls(of address: String) -> PostgreSQLConfiguration.TLS {
        let query = address.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let parameters = PercentEncoding.decodeForm(String(query)) ?? []
        let authorities = parameters.first { $0.name == "sslrootcert" }?.value
        return switch parameters.first(where: { $0.name == "sslmode" })?.value {
        case "disable": .none
        case "require", "prefer", "allow": .unverified
        default: .verified(authorities: authorities)
        }
    }
}

extension SecretPlace {
    /// The value.
    ///
    /// - Parameter key: The key of the gateway file, for the message.
    /// - Throws: `Failure` that names the place and not the value.
    func value(below folder: String, _ environment: HostEnvironment, _ key: String) throws -> Secret {
        switch self {
        case .inline(let secret): return secret
        case .environment(let name):
            guard let value = environment[name], !value.isEmpty else {
                throw Failure(.usage, "\(key): the environment variable \(name) is not set")
            }
            return Secret(value)
        case .file(let path):
            let file = try SourceFile(readingFrom: Path.below(folder, path), maximumBytes: 1 << 18)
            let text = String(String(decoding: file.bytes, as: UTF8.self).trimming(\.isWhitespace))
            guard !text.isEmpty else { throw Failure(.usage, "\(key): \(file.path) is empty") }
            return Secret(text)
        }
    }
}

extension Path {
    /// A path as written in a file of a folder.
    static func below(_ folder: String, _ path: String) -> String {
        path.hasPrefix("/") || folder.isEmpty ? path : "\(folder)/\(path)"
    }
}

extension String {
    fileprivate func dropping(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
