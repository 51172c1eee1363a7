import Carnet
import CarnetFoundation
import CarnetSandbox
import CarnetStorage

/// Where the user's tokens are: `CARNET_STORE`, else the data folder, its key apart from it in the configuration
/// folder.
///
/// Accounts at a sandbox are kept apart, so that no token of one ever goes to the other.
struct UserStore {
    private let environment: HostEnvironment

    init(_ environment: HostEnvironment) {
        self.environment = environment
    }

    func folder(ofSandbox isSandbox: Bool) -> String {
        environment.storeFolder + (isSandbox ? "/sandbox" : "")
    }

    /// Checks whether a sign-in can be stored, before the user signs in.
    ///
    /// - Throws: `TokenStoreError` if the folder cannot be made or written to.
    func prepare(ofSandbox isSandbox: Bool) throws {
        let folder = folder(ofSandbox: isSandbox)
        if environment["CARNET_STORE"] == nil { try ConfigurationFolder(environment).create() }
        do {
            // Private from the first moment: another process may be starting too, and would refuse it.
            try PrivateFolder(path: folder).createIfMissing()
        } catch let error as TokenStoreError {
            let reason = error.reason.replacing("\(folder): ", with: "")
            throw TokenStoreError(.unavailable, "the folder \(folder) cannot be created: \(reason)")
        }
        guard FileManager.default.isWritableFile(atPath: folder) else {
            throw TokenStoreError(.unavailable, "the folder \(folder) cannot be written to")
        }
    }

    /// Keeps the address of a sandbox for messages about its accounts. A failure changes only a message.
    func remember(_ sandbox: SandboxAddress) {
        try? PrivateFolder(path: folder(ofSandbox: true)).replace("address", with: Array(sandbox.base.text.utf8))
    }

    /// The address of the sandbox at which somebody signed in last.
    var lastSandbox: String? {
        let file = URL(filePath: folder(ofSandbox: true) + "/address")
        guard let data = try? Data(contentsOf: file), data.count < 100 else { return nil }
        return try? Connector.address(String(decoding: data, as: UTF8.self)).base.text
    }

    /// How long to wait for another process that uses the same account, without `--timeout`.
    static let lockPatience = Duration.seconds(60)

    /// - Throws: `Failure` if others can write to the folder of the key.
    func tokens(ofSandbox isSandbox: Bool, lockPatience: Duration = Self.lockPatience) throws -> FileTokenStore {
        let folder = folder(ofSandbox: isSandbox)
        guard environment["CARNET_STORE"] == nil else {
            return FileTokenStore(folder: folder, lockPatience: lockPatience)
        }
        try ConfigurationFolder(environment).check()
        let key = isSandbox ? "sandbox-key" : "key"
        return FileTokenStore(
            folder: folder, key: .file("\(environment.configurationFolder)/\(key)"), lockPatience: lockPatience)
    }
}
