import Carnet
import CarnetFoundation
import CarnetGateway
import CarnetLint
import CarnetPostgreSQL
import CarnetProtocol
import CarnetStorage

// Whichever module imports `access` first on Linux counts as the one that defines it.
#if canImport(CDispatch)
    import CDispatch
#endif

/// The store of a gateway's sessions and tokens, and the keys of its cookies, as the gateway file says.
struct GatewayStore: Sendable {
    private(set) var tokens: any EncryptedStore
    /// For messages.
    let name: String
    let keys: SessionKeys
    /// The folder of a store in files.
    private let folder: String?
    private let configuration: ConfigurationFolder

    /// The file of the key that the gateway makes and keeps itself.
    static func ownKey(_ environment: HostEnvironment) -> String { environment.configurationFolder + "/gateway-key" }

    /// Reads and creates nothing.
    ///
    /// - Throws: `Failure` for a secret that is not where it should be.
    init(_ rules: GatewaySessionRules, in file: GatewayPlaces, _ environment: HostEnvironment) throws {
        configuration = ConfigurationFolder(environment)
        let address = try rules.store.map { try file.value(of: $0, "store", rules.line(of:), environment).reveal() }
        let isShared = address.map { $0.hasPrefix("postgresql://") || $0.hasPrefix("postgres://") } ?? false
        if isShared, rules.key == nil {
            throw Failure(
                .usage, "a store that several machines share needs session.key_env or session.key_file",
                next: ["make a key for all replicas: openssl rand -base64 32"])
        }
        keys = try SessionKeys(rules.key, own: Self.ownKey(environment), below: file.folder, environment)
        if isShared, let address {
            let configuration = PostgreSQLConfiguration(Secret(address), tls: Self.tls(of: address))
            (tokens, name, folder) = (PostgreSQLStore(configuration, key: keys.forStore), "postgresql", nil)
            return
        }
        guard address?.hasPrefix("files:") ?? true else {
            throw Failure(
                .usage, "session.store is not the address of a store",
                next: ["write files:FOLDER or postgresql://HOST/DATABASE"])
        }
        let path = address.map { String($0.dropFirst("files:".count)) } ?? (environment.dataFolder + "/gateway")
        let place = Path.below(file.folder, path)
        (tokens, name, folder) = (FileTokenStore(folder: place, key: keys.forStore), "files:\(place)", place)
    }

    /// The keys that encrypt the cookies: those of the records. Only the key that the gateway keeps itself is made.
    ///
    /// - Returns: Also the file that was made.
    /// - Throws: `Failure`; `TokenStoreError`.
    func keysOfGateway() async throws -> (ring: KeyRing, made: String?) {
        if let ring = try await keys.read() { return (ring, nil) }
        guard keys.isOwn, let file = keys.file else { throw missingKey }
        try configuration.create()
        let ring = try await keys.make(file, for: name) {
            let inventory = try await tokens.inventory()
            return inventory.accounts.isEmpty && inventory.damaged.isEmpty
        }
        return (ring, file)
    }

    /// Why a key of the operator's own is not made: a wrong path would sign everybody out, and replicas would have a key each.
    var missingKey: Failure {
        let file = keys.file ?? "the file"
        return Failure(
            .usage, "session.key_file: \(file) does not exist",
            next: ["make a key: (umask 077 && openssl rand -base64 32 > \(file.shellWord))"])
    }

    /// Finds what a start would fail for, and changes nothing.
    ///
    /// - Throws: `TokenStoreError`; `Failure` if the folder of the files is not there and cannot be made.
    func checkForStart() async throws {
        guard let folder, !Path.isFolder(folder) else {
            _ = try await tokens.inventory()
            return
        }
        var parent = folder
        repeat { parent = Path.parent(of: parent) } while Path.isAbsent(parent)
        guard Path.isFolder(parent), access(parent, W_OK) == 0 else {
            throw Failure(
                .failed, "session.store: the folder \(folder) is not there, and \(parent) cannot be written to",
                next: ["make the folder for the gateway's user, with mode 0700: mkdir -p -m 700 \(folder.shellWord)"])
        }
    }

    /// The same store for a command beside the gateway. Root acts as the gateway's user from now on.
    ///
    /// - Throws: `TokenStoreError`.
    func forCommand() async throws -> GatewayStore {
        // With another key or none, the records that it cannot read are counted.
        try await keys.read()
        guard let folder, FolderUser.other(in: folder) != nil else { return self }
        try FolderUser.enter(folder)
        var store = self
        store.tokens = FileTokenStore(folder: ".", key: keys.forStore)
        return store
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

extension Path {
    /// A path as written in a file of a folder.
    static func below(_ folder: String, _ path: String) -> String {
        path.hasPrefix("/") || folder.isEmpty ? path : "\(folder)/\(path)"
    }
}
