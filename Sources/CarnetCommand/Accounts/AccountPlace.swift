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
    let accounts: ProviderAccounts

    /// - Throws: `Failure` if there is no such account, or several and none was named.
    init(_ options: AccountOptions, _ context: CommandContext) async throws {
        let sources = try ProviderSources(options.providers, context)
        entry = try sources.entry(nameOrResource: options.provider)
        connector = try Connector(options.network, options.client, sources, context)
        let provider = entry.descriptor.id
        accounts = ProviderAccounts(provider: provider, connector: connector, context: context)
        if let name = options.account {
            key = ConnectionKey(provider: provider.rawValue, account: name)
            return
        }
        let keys = try await accounts.keys()
        // The account of a sign-in without a name, as of all resources that say nothing of the person.
        guard let only = keys.count == 1 ? keys.first : keys.first(where: { $0.account == "default" }) else {
            let names = keys.map(\.account).sorted().joined(separator: ", ")
            throw Failure(
                .usage, "\(provider) has \(keys.count) accounts", next: ["add --account NAME, one of: \(names)"])
        }
        key = only
    }

    /// The record.
    ///
    /// - Throws: `Failure` if there is none; `TokenStoreError`.
    func open() async throws -> Connection {
        if let stored = try await connector.load(key) { return stored }
        let names = try await accounts.keys().map(\.account).sorted().joined(separator: ", ")
        throw Failure(
            .usage, "\(key.provider) has no signed-in account \"\(key.account)\"", next: ["signed in: \(names)"])
    }
}
