import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetStorage

/// Where an account is: its provider, the store, and its key there. Its record is not opened yet.
struct AccountPlace {
    let entry: ProviderRegistry.Entry
    let connector: Connector
    let key: ConnectionKey
    private let missing: MissingAccount

    /// - Throws: `Failure` if there is no such account, or several and none was named.
    init(_ options: AccountOptions, _ context: CommandContext) async throws {
        let sources = try ProviderSources(options.providers, context)
        entry = try sources.entry(nameOrResource: options.provider)
        connector = try Connector(
            options.network, options.client, sources, context, deadline: options.network.deadline)
        let provider = entry.descriptor.id
        missing = MissingAccount(provider: provider, connector: connector, context: context)
        if let name = options.account {
            key = ConnectionKey(provider: provider.rawValue, account: name)
        } else {
            key = try await Self.onlyAccount(of: provider, in: connector.store, missing)
        }
    }

    private static func onlyAccount(
        of provider: ProviderID, in store: FileTokenStore, _ missing: MissingAccount
    ) async throws -> ConnectionKey {
        let inventory = try await store.inventory()
        let keys = inventory.accounts.filter { $0.provider.isSameBytes(as: provider.rawValue) }
        guard let only = keys.first else {
            if let failure = Failure(
                unreadable: inventory.damaged, perhapsOf: provider, at: missing.connector.sandboxOption)
            {
                throw failure
            }
            throw await missing.error()
        }
        guard keys.count == 1 else {
            // The account of a sign-in without a name, as of all resources that say nothing of the person.
            if let unnamed = keys.first(where: { $0.account == "default" }) { return unnamed }
            let names = keys.map(\.account).sorted().joined(separator: ", ")
            throw Failure(
                .usage, "\(provider) has \(keys.count) accounts", next: ["add --account NAME, one of: \(names)"])
        }
        return only
    }

    /// What to throw when the account has gone since it was looked up.
    func missingError() async -> NobodySignedIn { await missing.error() }

    /// The record.
    ///
    /// - Throws: `Failure` if there is none; `TokenStoreError`.
    func open() async throws -> Connection {
        if let stored = try await connector.load(key) { return stored }
        let inventory = try await connector.store.inventory()
        let names = inventory.accounts.filter { $0.provider.isSameBytes(as: key.provider) }.map(\.account).sorted()
        guard !names.isEmpty else {
            let provider = entry.descriptor.id
            if let failure = Failure(
                unreadable: inventory.damaged, perhapsOf: provider, at: connector.sandboxOption)
            {
                throw failure
            }
            throw await missing.error()
        }
        throw Failure(
            .usage,
            "\(key.provider) has no signed-in account \"\(key.account)\"",
            next: ["signed in: \(names.joined(separator: ", "))"]
        )
    }
}
