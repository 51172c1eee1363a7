import Carnet
import CarnetDescriptors
import CarnetProtocol

/// Where an account is: its provider, the store, and its key there. Its record is not opened yet.
struct AccountPlace {
    let entry: ProviderRegistry.Entry
    let connector: Connector
    let key: ConnectionKey

    /// - Throws: `Failure` if there is no such account, or several and none was named.
    init(_ options: AccountOptions, _ context: CommandContext) async throws {
        let sources = try ProviderSources(options.providers, context)
        entry = try sources.entry(options.provider)
        let deadline = options.network.timeout.map { Duration.seconds($0) }
        connector = try Connector(
            options.network,
            options.client,
            context,
            deadline: deadline ?? TransportLimits().deadline
        )
        let provider = entry.descriptor.id
        if let name = options.account {
            key = ConnectionKey(provider: provider.rawValue, account: name)
        } else {
            key = try await Self.onlyAccount(of: provider, in: connector.store)
        }
    }

    private static func onlyAccount(of provider: ProviderID, in store: any TokenStore) async throws -> ConnectionKey {
        let keys = try await store.keys().filter { $0.provider.isSameBytes(as: provider.rawValue) }
        guard let only = keys.first else { throw Failure(missing(of: provider)) }
        guard keys.count == 1 else {
            let names = keys.map(\.account).sorted().joined(separator: ", ")
            throw Failure(
                .usage, "\(provider) has \(keys.count) accounts", next: ["give --account NAME, one of: \(names)"])
        }
        return only
    }

    static func missing(of provider: ProviderID) -> OAuthError {
        OAuthError(
            .storage, .sessionEnded, "nobody is signed in to \(provider)", hint: "run carnet login \(provider)")
    }

    /// The record.
    ///
    /// - Throws: `Failure` if there is none; `TokenStoreError`.
    func open() async throws -> Connection {
        if let stored = try await connector.store.load(key)?.connection { return stored }
        let names = try await connector.store.keys().filter { $0.provider.isSameBytes(as: key.provider) }.map(\.account)
            .sorted()
        guard !names.isEmpty else { throw Failure(Self.missing(of: entry.descriptor.id)) }
        throw Failure(
            .usage,
            "no account of \(key.provider) is called \"\(key.account)\"",
            next: ["signed in: \(names.joined(separator: ", "))"]
        )
    }
}
