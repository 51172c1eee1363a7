import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetSandbox
import CarnetStorage

extension Connector {
    /// How many records are named.
    private static let limit = 10

    /// Checks that there are no records that cannot be opened and do not show whose they are. With one, nobody can say that
    /// nobody is signed in.
    ///
    /// - Throws: `Failure`.
    func requireNone(_ damaged: [TokenStoreError], perhapsOf provider: ProviderID) throws {
        guard let first = damaged.first else { return }
        var failure = Failure(first)
        failure.details.append(Failure.Detail(name: "provider", text: provider.rawValue))
        if damaged.count > 1 { failure.summary += " (and \(damaged.count - 1) more; see carnet accounts)" }
        failure.next =
            damaged.prefix(Self.limit).compactMap(\.remedy) + ["then run carnet login \(provider)\(sandboxOption)"]
        throw failure
    }

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
        if inventory.accounts(of: provider).isEmpty { try requireNone(inventory.damaged, perhapsOf: provider) }
    }
}
