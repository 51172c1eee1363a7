import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetSandbox
import CarnetStorage

extension Failure {
    /// How many records are named.
    private static let limit = 10

    /// Records that cannot be opened and do not show whose they are. Nobody can say then that nobody is signed in.
    ///
    /// - Parameter sandboxOption: As `Connector.sandboxOption`.
    /// - Returns: `nil` if there are none.
    init?(unreadable damaged: [TokenStoreError], perhapsOf provider: ProviderID, at sandboxOption: String) {
        guard let first = damaged.first else { return nil }
        self.init(first)
        details.append(Detail(name: "provider", text: provider.rawValue))
        if damaged.count > 1 { summary += " (and \(damaged.count - 1) more; see carnet accounts)" }
        next = damaged.prefix(Self.limit).compactMap(\.remedy) + ["then run carnet login \(provider)\(sandboxOption)"]
    }
}

extension Connector {
    /// - Returns: `nil` if there is no record.
    /// - Throws: `TokenStoreError`, with the command that removes a record that cannot be opened.
    func load(_ key: ConnectionKey) async throws -> Connection? {
        do {
            return try await store.load(key)?.connection
        } catch var error as TokenStoreError where error.kind == .unreadable {
            error.remedy =
                error.remedy ?? "carnet logout \(key.provider) --account \(key.account.shellWord)\(sandboxOption)"
            throw error
        }
    }

    /// Finds a record that cannot be opened and may be that of the account, before anyone is asked to sign in.
    ///
    /// - Throws: `TokenStoreError`; `Failure`.
    func requireReadableRecords(of provider: ProviderID, account: String?) async throws {
        if let account {
            _ = try await load(ConnectionKey(provider: provider.rawValue, account: account))
            return
        }
        let inventory = try await store.inventory()
        guard !inventory.accounts.contains(where: { $0.provider.isSameBytes(as: provider.rawValue) }) else { return }
        if let failure = Failure(unreadable: inventory.damaged, perhapsOf: provider, at: sandboxOption) {
            throw failure
        }
    }
}
