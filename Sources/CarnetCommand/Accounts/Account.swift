import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetSandbox

/// One stored account of a provider, and the client that it was signed in with.
struct Account {
    let entry: ProviderRegistry.Entry
    let stored: Connection
    let client: OAuthClient
    private let failures: ProviderFailure
    private let connector: Connector

    var name: String { stored.key.account }

    /// - Throws: `Failure` if there is no such account, or several and none was named.
    init(_ options: AccountOptions, _ context: CommandContext) async throws {
        let sources = try ProviderSources(options.providers, environment: context.environment)
        entry = try sources.entry(options.provider)
        failures = ProviderFailure(entry: entry)
        connector = try Connector(options.network, options.client, context)
        let key = try await Self.key(of: entry.descriptor.id, options.account, in: connector.store)
        guard let stored = try await connector.store.load(key)?.connection else {
            throw Failure(Self.missing(options.account ?? key.account, of: entry.descriptor.id))
        }
        self.stored = stored
        client = try await failures.explaining { [entry, connector] in
            try connector.client(for: entry, registration: try connector.registration(for: entry, stored: stored))
        }
    }

    /// - Throws: `Failure` if the stored tokens belong to another registration.
    func session() async throws -> Session {
        try await explaining {
            guard let session = try await client.session(for: name) else {
                throw Failure(Self.missing(name, of: entry.descriptor.id))
            }
            return session
        }
    }

    func explaining<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await failures.explaining(body)
    }

    /// Where a page of the provider is: there, or in the sandbox that stands for it.
    func shownURL(_ url: String) -> String {
        guard let sandbox = connector.sandbox, let url = try? WebURL(url) else { return url }
        return sandbox.sandboxURL(for: url)
    }

    /// The only account, or the one that was named.
    private static func key(
        of provider: ProviderID,
        _ name: String?,
        in store: any TokenStore
    ) async throws -> ConnectionKey {
        let keys = try await store.keys().filter { $0.provider == provider.rawValue }
        let accounts = keys.map(\.account).sorted()
        if let name {
            guard accounts.contains(name) else {
                let known = accounts.isEmpty ? "no account is" : "signed in: \(accounts.joined(separator: ", "))"
                throw Failure(
                    .usage,
                    "no account of \(provider) is called \"\(name)\"",
                    next: [accounts.isEmpty ? "run carnet login \(provider); \(known) signed in" : known]
                )
            }
            return ConnectionKey(provider: provider.rawValue, account: name)
        }
        guard let only = keys.first else { throw Failure(missing(nil, of: provider)) }
        guard keys.count == 1 else {
            throw Failure(
                .usage,
                "\(provider) has \(keys.count) accounts",
                next: ["give --account NAME, one of: " + accounts.joined(separator: ", ")]
            )
        }
        return only
    }

    private static func missing(_ name: String?, of provider: ProviderID) -> OAuthError {
        OAuthError(
            .storage,
            .sessionEnded,
            "\(name ?? "nobody") is \(name == nil ? "" : "not ")signed in to \(provider)",
            hint: "run carnet login \(provider)"
        )
    }
}
