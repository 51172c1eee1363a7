import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSandbox

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
        failures = ProviderFailure(entry: place.entry, sandboxOption: place.connector.sandboxOption)
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
