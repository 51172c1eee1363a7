import Carnet
import CarnetPostgreSQL
import CarnetWeb
import Logging

/// Sign-in for one process of a fleet. Every process gets the same arguments.
func fleetSignIn(
    for provider: ProviderDescriptor, _ registration: ClientRegistration, over transport: any Transport,
    storedIn store: PostgreSQLStore, cookieKeys: KeyRing, logger: Logger
) throws -> WebSignIn {
    let client = try OAuthClient(
        provider,
        registration: registration,
        transport: transport,
        store: store,
        usedTokens: store,
        logger: logger
    )
    return try WebSignIn(
        ProviderClients([client]), origin: "https://app.example", keys: cookieKeys, pendingStore: store, logger: logger)
}

/// For a readiness probe: whether the database is available. It costs one `SELECT` by primary key.
func isReady(_ store: PostgreSQLStore) async -> Bool {
    do {
        _ = try await store.load(ConnectionKey(provider: "readiness", account: "probe"))
        return true
    } catch {
        return false
    }
}
