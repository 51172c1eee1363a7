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

/// For a readiness probe: whether the database and the keys work.
func isReady(_ web: WebSignIn) async -> Bool {
    await web.healthProblems().isEmpty
}
