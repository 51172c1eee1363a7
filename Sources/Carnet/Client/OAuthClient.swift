public import CarnetDescriptors
public import CarnetProtocol
import Foundation
public import Logging

/// One client of one provider: begins sign-ins, completes them, and restores sessions.
///
/// It knows the provider by its descriptor alone. Make one for each registration and keep it: it remembers the
/// provider's metadata and keys, and which callbacks were used.
public actor OAuthClient {
    public nonisolated let descriptor: ProviderDescriptor
    public nonisolated let registration: ClientRegistration
    /// The descriptor with the registration's inputs, before discovery.
    package nonisolated let provider: Provider

    let exchanger: Exchanger
    let connection: ProviderConnection
    /// The keys of those whose claims are believed in a profile, by their issuers.
    nonisolated let claimSources: [ByteKey: ProviderConnection]
    nonisolated let store: any TokenStore
    nonisolated let clock: any WallClock
    /// Tells when tokens end.
    nonisolated let providerClock: ProviderClock
    nonisolated let random: any RandomSource
    nonisolated let sleeper: any Sleeper
    nonisolated let usedTokens: any UsedTokenStore
    nonisolated let clientTokens = ClientTokenCache()
    nonisolated let nonces = DPoPNonces()
    nonisolated let unsaved = UnsavedConnections()
    private var usedAttempts = ForgetfulTable<Secret, Date>()
    private var sessions = ForgetfulTable<ConnectionKey, WeakSession>()

    /// A session keeps its client alive; the client must not keep it in turn.
    private struct WeakSession {
        weak var session: Session?
    }

    /// - Parameters:
    ///   - usedTokens: Remembers which logout tokens were taken; one that all processes share, where there are several.
    ///   - observer: Sees each exchange without its secrets.
    ///   - logger: Silent unless given.
    /// - Throws: `ResolutionError` if an input is missing or refused, or the environment unknown.
    public init(
        _ descriptor: ProviderDescriptor,
        registration: ClientRegistration,
        transport: any Transport,
        store: any TokenStore = MemoryTokenStore(),
        limits: TransportLimits = TransportLimits(),
        clock: any WallClock = SystemWallClock(),
        random: any RandomSource = SystemRandomSource(),
        sleeper: any Sleeper = SystemSleeper(),
        usedTokens: any UsedTokenStore = MemoryUsedTokenStore(),
        observer: (any ExchangeObserver)? = nil,
        logger: Logger = Logger(label: "carnet", factory: { _ in SwiftLogNoOpLogHandler() })
    ) throws {
        let descriptor = try descriptor.variant(registration.environment)
        self.descriptor = descriptor
        self.registration = registration
        self.store = store
        self.clock = clock
        self.random = random
        self.sleeper = sleeper
        self.usedTokens = usedTokens
        provider = try descriptor.resolve(inputs: registration.inputs)
        providerClock = ProviderClock(clock)
        var limits = limits
        limits.localHosts.formUnion(descriptor.ownHosts)
        exchanger = Exchanger(
            transport: transport, limits: limits, observer: observer, logger: logger, clock: providerClock,
            certificate: PresentedCertificate(registration, at: provider))
        connection = ProviderConnection(
            provider, exchanger: exchanger, clock: clock, presentsCertificate: registration.certificate != nil)
        claimSources = Dictionary(
            provider.claimSources.map { [provider, exchanger] source in
                let keys = ProviderConnection(
                    provider, exchanger: exchanger, clock: clock, otherKeys: source.jwks)
                return (ByteKey(source.issuer), keys)
            }
        ) { first, _ in first }
    }

    /// Begins a sign-in: an authorization URL, and what to keep until its callback.
    ///
    /// - Throws: `OAuthError`.
    public func beginSignIn(_ options: AuthorizationOptions = AuthorizationOptions()) async throws
        -> AuthorizationRequest
    {
        let provider = try await connection.provider()
        let request = try AuthorizationRequest(
            to: provider,
            as: registration,
            options: options,
            random: random,
            now: clock.now
        )
        guard provider.pushesAuthorization(wanted: options.isPushed) else { return request }
        return try await push(request, to: provider)
    }

    /// Sends a sign-in's parameters to the server (RFC 9126). What it refuses is not sent by another way.
    private func push(_ request: AuthorizationRequest, to provider: Provider) async throws -> AuthorizationRequest {
        let push = try request.pushing(to: provider, as: registration, random: random, now: clock.now)
        return try request.referring(
            to: try await exchanger.send(push, within: bounds), answering: push, at: provider, now: clock.now)
    }

    /// Completes a sign-in: validates the callback, exchanges its code once, validates the ID token, saves the tokens.
    ///
    /// A failure touches nothing that is stored. One at step `connection` comes after the tokens were saved: the session
    /// is there, and `Session.connect(choosing:)` makes good what is missing.
    ///
    /// - Parameters:
    ///   - account: The name to keep it under; by default the verified e-mail address or the subject of the ID token, else
    ///     the subject of the profile.
    ///   - choosing: Is asked where a lookup of the descriptor finds several candidates.
    /// - Throws: `OAuthError`, `TokenStoreError`.
    public func completeSignIn(
        _ callback: AuthorizationCallback,
        for pending: PendingAuthorization,
        account: String? = nil,
        choosing: ConnectionChooser? = nil
    ) async throws -> Session {
        try await completeSignIn(callback, for: pending, account: account, continuing: nil, choosing: choosing)
    }

    /// - Parameter old: The connection of the account that has to be the one that consents.
    func completeSignIn(
        _ callback: AuthorizationCallback,
        for pending: PendingAuthorization,
        account: String?,
        continuing old: Connection?,
        choosing: ConnectionChooser?
    ) async throws -> Session {
        let discovered = try await connection.provider()
        let validated = try await validate(callback, for: pending, from: discovered)
        let provider = filled(discovered, with: HeldValues(callback: validated))
        // Before the attempt is used up: what cannot be sent, or its outcome not kept, uses up nothing.
        try await prepareToSave(as: account)
        let first = try TokenRequest.exchange(
            validated, at: provider, as: registration, random: random, now: clock.now)
        let bounds = bounds.of(pending)
        try bounds.check(first)
        try use(pending)
        let (answer, request) = try await send(within: bounds, provedBy: pending.dpopKey, first: first) {
            try TokenRequest.exchange(validated, at: provider, as: registration, random: random, now: clock.now)
        }
        let response = try TokenResponse(judging: answer, to: request, from: provider)
            .decryptingIDToken(for: registration, from: provider)
        let idToken = try await validateIDToken(of: response, requested: pending.scopes) { () throws(OAuthError) in
            try IDTokenExpectations(
                from: provider, as: registration, answering: validated, accessToken: response.accessToken)
        }
        return try await keep(
            response, idToken, requested: pending.scopes, HeldValues(values: response.values, callback: validated),
            boundTo: pending.dpopKey, from: provider, discovered, as: account, continuing: old, choosing: choosing)
    }

    /// Makes the further exchange steps of a sign-in that succeeded, saves its tokens, and connects.
    func keep(
        _ response: TokenResponse,
        _ idToken: IDToken?,
        requested scopes: [String],
        _ held: HeldValues,
        boundTo dpopKey: Secret?,
        from provider: Provider,
        _ discovered: Provider,
        as account: String?,
        continuing old: Connection? = nil,
        choosing: ConnectionChooser?
    ) async throws -> Session {
        let binding = try await connection.binding()
        let bounds = bounds.of(binding, at: discovered)
        let (exchanged, values) = try await exchanged(
            TokenSet(response, requested: scopes, now: providerClock.now), held, boundTo: dpopKey, at: discovered,
            within: bounds)
        let tokens = await findingEnd(
            of: exchanged, at: filled(discovered, with: HeldValues(tokens: exchanged, values: values)), within: bounds)
        let profile = Profile.source(at: provider) == .tokenResponse ? Profile(response, from: provider) : nil
        var subject = idToken?.subject ?? profile?.subject
        if subject == nil, account == nil || old?.subject != nil {
            subject = await subjectFromUserinfo(tokens, values, boundTo: dpopKey, at: discovered, within: bounds)
        }
        let signedIn = Connection(
            key: ConnectionKey(provider: provider.id.rawValue, account: ""),
            clientID: registration.clientID,
            tokens: tokens,
            issuer: idToken?.issuer,
            subject: subject,
            sessionID: idToken?.claims["sid"]?.string,
            inputs: provider.inputs,
            environment: provider.environment,
            profile: profile?.raw.jsonText(),
            dpopKey: dpopKey,
            values: values.isEmpty ? nil : values,
            binding: binding
        )
        let session = try await save(signedIn, as: account, claims: idToken?.claims, continuing: old)
        try await session.connect(choosing: choosing)
        return session
    }

    func prepareToSave(as account: String?) async throws {
        try await store.prepareToSave(ConnectionKey(provider: provider.id.rawValue, account: account ?? ""))
    }

    /// The accounts that are signed in to this provider, by name; no record is opened for it.
    ///
    /// - Throws: `TokenStoreError`.
    public nonisolated func accounts() async throws -> [String] {
        try await store.keys().filter { $0.provider.isSameBytes(as: provider.id.rawValue) }.map(\.account).sorted()
    }

    /// The session of an account that signed in before, also in an earlier run; `nil` if there is none.
    ///
    /// - Throws: `TokenStoreError`; `OAuthError` if the tokens were issued to another client.
    public func session(for account: String) async throws -> Session? {
        let key = ConnectionKey(provider: provider.id.rawValue, account: account)
        guard let stored = try await store.load(key) else {
            sessions[key] = nil
            return nil
        }
        try checkOwner(of: stored.connection)
        return session(of: stored.connection)
    }

    /// - Throws: `OAuthError` if the tokens were issued to another client: they must not be sent with this one's
    ///   secret.
    nonisolated func checkOwner(of connection: Connection) throws(OAuthError) {
        guard connection.clientID.isSameBytes(as: registration.clientID),
            connection.inputs.isSameBytes(as: provider.inputs),
            connection.environment.isSameBytes(as: provider.environment)
        else {
            throw OAuthError(
                .storage,
                .badRegistration,
                "the stored tokens of \(connection.key.account) belong to another client registration, inputs or environment",
                hint: "sign in again with this registration, or use the one that the tokens were issued to"
            )
        }
    }

    /// One session object for each account, so that its refreshes are one.
    private func session(of connection: Connection) -> Session {
        if let session = sessions[connection.key]?.session { return session }
        sessions.forget { $0.session == nil }
        let session = Session(connection.key, client: self)
        sessions[connection.key] = WeakSession(session: session)
        return session
    }

    /// The session object of an account, if somebody holds it.
    func heldSession(of key: ConnectionKey) -> Session? { sessions[key]?.session }

    /// Marks an attempt as used; a second callback for it finds the mark (RFC 6749, section 10.5).
    private func use(_ pending: PendingAuthorization) throws(OAuthError) {
        let now = clock.now
        usedAttempts.forget { $0 <= now }
        guard usedAttempts[pending.id] == nil else {
            throw OAuthError(.callback, .alreadyUsed, "this callback was used before", hint: "begin the sign-in again")
        }
        usedAttempts[pending.id] = pending.expiresAt
    }

    /// Who signed in where no ID token says it, so that the tokens of two users do not lie under one name. A profile that
    /// cannot be had is no reason to lose the tokens.
    private func subjectFromUserinfo(
        _ tokens: TokenSet, _ values: [String: ConnectionValue], boundTo dpopKey: Secret?, at discovered: Provider,
        within bounds: CredentialBounds
    ) async -> String? {
        let provider = filled(discovered, with: HeldValues(tokens: tokens, values: values))
        guard Profile.source(at: provider) == .userinfo,
            let (response, request) = try? await send(
                within: bounds, provedBy: dpopKey, accessToken: tokens.accessToken,
                { try Profile.request(tokens, at: provider) })
        else { return nil }
        return try? await profile(judging: response, to: request, from: provider, subject: nil).subject
    }

    private func save(
        _ connection: Connection, as account: String?, claims: JSONObject?, continuing old: Connection?
    ) async throws -> Session {
        try connection.requireAccount(of: old)
        var connection = connection
        let subject = connection.subject ?? "default"
        let label = account ?? claims?.verifiedEmail ?? subject
        connection.key.account = label
        let existing = try await store.load(connection.key)?.connection
        if account == nil, let existing, !existing.isSameIdentity(as: connection) {
            // The same address can belong to another user one day; only issuer and subject identify an account.
            connection.key.account = subject
        }
        connection.keepFirstCallback(of: existing, at: provider)
        let signedIn = connection
        // A refresh of the old tokens that is under way must not save, or remove, over the new ones.
        try await withLockIfFree(on: signedIn.key) { [self] _ in
            // What is kept is what counts now: the tokens may have been renewed while the code was exchanged.
            let newest = try await held(signedIn.key)?.newest
            let kept =
                if let newest, old != nil { try signedIn.continuing(newest) } else {
                    signedIn.keepingRefreshToken(of: newest)
                }
            _ = try await store.save(kept, replacing: nil)
            unsaved[signedIn.key] = nil
        }
        return session(of: signedIn)
    }

    /// The ID token that came, once it meets what the sign-in expects of it.
    func validateIDToken(
        of response: TokenResponse,
        requested scopes: [String],
        expecting expectations: () throws(OAuthError) -> IDTokenExpectations
    ) async throws -> IDToken? {
        guard let token = response.idToken else {
            guard !scopes.contains("openid") else {
                throw OAuthError(
                    .tokenRequest,
                    .missingField,
                    "the answer has no ID token, though the scope openid was asked for",
                    descriptorKey: "token.response.fields.id_token"
                )
            }
            return nil
        }
        return try await validate(token, expecting: try expectations())
    }

    /// Validates an ID token, with newer keys if those known do not fit: the provider may have a new key, under a new
    /// id, the same one or none.
    func validate(_ token: Secret, expecting expectations: IDTokenExpectations) async throws -> IDToken {
        if expectations.isSignedWithSecret {
            return try IDToken(validating: token, with: JSONWebKeySet.none, expecting: expectations, now: clock.now)
        }
        return try await connection.verifying { [clock] keys throws(OAuthError) in
            try IDToken(validating: token, with: keys, expecting: expectations, now: clock.now)
        }
    }
}

extension OAuthClient {
    /// A client of the provider of a name.
    ///
    /// - Throws: `UnknownProviderError` with the nearest names; `ResolutionError`.
    public init(
        provider id: ProviderID,
        in registry: ProviderRegistry,
        registration: ClientRegistration,
        transport: any Transport,
        store: any TokenStore = MemoryTokenStore()
    ) throws {
        try self.init(try registry.descriptor(id), registration: registration, transport: transport, store: store)
    }
}
