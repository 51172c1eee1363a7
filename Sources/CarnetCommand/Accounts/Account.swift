import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetStorage

/// One stored account of a provider, and the client that it was signed in with.
struct Account {
    let stored: Connection
    let client: OAuthClient
    private let place: AccountPlace
    private let failures: ProviderFailure

    var entry: ProviderRegistry.Entry { place.entry }
    var name: String { stored.key.account }

    /// What every document about the account begins with: which it is, and the files that say where its credentials go.
    var json: JSONObject { stored.key.json + ["descriptor_files": .list(entry.files)] }

    /// - Throws: `Failure` if there is no such account, or several and none was named; `TokenStoreError`.
    init(_ options: AccountOptions, _ context: CommandContext) async throws {
        try await self.init(AccountPlace(options, context))
    }

    /// - Throws: `Failure`; `TokenStoreError`.
    init(_ place: AccountPlace) async throws {
        self.place = place
        failures = ProviderFailure(entry: place.entry, givenOptions: place.connector.givenOptions)
        let stored = try await place.open()
        self.stored = stored
        client = try await failures.explaining {
            try place.connector.client(
                for: place.entry,
                registration: try await place.connector.registration(for: place.entry, stored: stored))
        }
    }

    /// - Throws: `Failure` if the stored tokens belong to another registration.
    func session() async throws -> Session {
        try await explaining {
            guard let session = try await client.session(for: name) else { throw await place.accounts.nobody() }
            return session
        }
    }

    func explaining<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await failures.explaining(body)
    }
}

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

    /// - Throws: `Failure` if there is no record; `TokenStoreError`.
    func open() async throws -> Connection {
        if let stored = try await connector.load(key) { return stored }
        let names = try await accounts.keys().map(\.account).sorted().joined(separator: ", ")
        throw Failure(
            .usage, "\(key.provider) has no signed-in account \"\(key.account)\"", next: ["signed in: \(names)"])
    }
}
