import Carnet
import CarnetFiles
import Foundation

/// Where the user's tokens are: `CARNET_STORE`, else the data folder, its key apart from it in the configuration folder.
///
/// Accounts at a sandbox are kept apart, so that no token of one ever goes to the other.
struct UserStore {
    private let environment: HostEnvironment

    init(_ environment: HostEnvironment) {
        self.environment = environment
    }

    /// - Throws: `TokenStoreError` if the folder of the key cannot be made.
    func tokens(ofSandbox isSandbox: Bool) throws -> any TokenStore {
        let folder = environment.storeFolder + (isSandbox ? "/sandbox" : "")
        guard environment["CARNET_STORE"] == nil else { return FileTokenStore(folder: folder) }
        let keyFolder = environment.configurationFolder
        do {
            try FileManager.default.createDirectory(atPath: keyFolder, withIntermediateDirectories: true)
        } catch {
            throw TokenStoreError(.unavailable, "the folder \(keyFolder) cannot be made")
        }
        return FileTokenStore(folder: folder, key: .file("\(keyFolder)/\(isSandbox ? "sandbox-key" : "key")"))
    }
}
