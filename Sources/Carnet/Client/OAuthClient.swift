public import CarnetDescriptors
import CarnetFoundation
public import CarnetProtocol
import Dispatch
public import Logging

/// One client of one provider: begins sign-ins, completes them, and restores sessions.
///
/// Create one for each registration and keep it: it caches the provider's metadata and keys, and remembers used
/// callbacks.
public final class OAuthClient: Sendable {
    public let descriptor: ProviderDescriptor
    package let registration: ClientRegistration
    /// The descriptor with the registration's inputs, before discovery.
    package let provider: Provider

    let exchanger: Exchanger
    let cache: ProviderCache
    /// How many seconds before its expiry an access token is refreshed.
    let refreshMargin: TimeInterval
    /// The keys of trusted claim sources, by issuer.
    let claimSources: [ByteKey: ProviderCache]
    let store: any TokenStore
    package let clock: any WallClock
    /// Decides when tokens expire.
    let providerClock: ProviderClock
    let random: any RandomSource
    package let usedTokens: any UsedTokenStore
    let clientTokens = ClientTokenCache()
    let nonces = DPoPNonces()
    /// The form of the client's id and secret that the server accepted.
    let acceptedForm = Lock(0)
    let unsaved = UnsavedConnections()
    let pauses = Pauses()
    /// The refreshes in progress, which must not be cut off between the request and the save.
    let refreshes = DispatchGroup()
    private let usedAttempts = Lock(ForgetfulTable<Secret, Date>())
    private let sessions = Lock(ForgetfulTable<ConnectionKey, WeakSession>())

    /// Weak, because a session keeps its client alive.
    private struct WeakSession {
        weak var session: Session?
    }

    /// - Parameters:
    ///   - store: Keeps the tokens; this process's memory by default.
    ///   - clock: The system's by default.
    ///   - usedTokens: Remembers used logout tokens; this process's memory by default. Several processes must share one.
    ///   - observer: Receives each exchange without its secrets.
    ///   - logger: No log by default.
    /// - Throws: `ResolutionError` if an input is missing or invalid, or the environment is unknown.
    public convenience init(
        _ descriptor: ProviderDescriptor,
        registration: ClientRegistration,
        transport: any Transport,
        store: (any TokenStore)? = nil,
        limits: TransportLimits = TransportLimits(),
        clock: (any WallClock)? = nil,
        usedTokens: (any UsedTokenStore)? = nil,
        observer: (any ExchangeObserver)? = nil,
        logger: Logger = Logger(label: "carnet", factory: { _ in SwiftLogNoOpLogHandler() })
    ) throws {
        try self.init(
            descriptor, registration: registration, transport: transport, store: store, limits: limits, clock: clock,
            random: SystemRandomSource(), usedTokens: usedTokens, observer: observer, logger: logger)
    }

    package init(
        _ descriptor: ProviderDescriptor, registration: ClientRegistration, transport: any Transport,
        store: (any TokenStore)? = nil, limits: TransportLimits = TransportLimits(), clock: (any WallClock)? = nil,
        random: any RandomSource, usedTokens: (any UsedTokenStore)? = nil, observer: (any ExchangeObserver)? = nil,
        logger: Logger = Logger(label: "carnet", factory: { _ in SwiftLogNoOpLogHandler() })
    ) throws {
        let clock = clock ?? SystemWallClock()
        let descriptor = try descriptor.variant(registration.environment)
        if let reason = descriptor.status.reason, let remark = descriptor.status.remark {
            logger.warning(
                "A provider is closed or ends",
                metadata: ["provider": "\(descriptor.id)", "status": "\(remark)", "reason": "\(reason)"])
        }
        if let remark = RedirectURI.remark(on: registration.redirectURI) {
            logger.warning(
                "Another application could claim the redirect URI",
                metadata: ["provider": "\(descriptor.id)", "reason": "\(remark)"])
        }
        self.descriptor = descriptor
        self.registration = registration
        self.store = store ?? MemoryTokenStore()
        self.clock = clock
        self.random = random
        self.usedTokens = usedTokens ?? MemoryUsedTokenStore()
        let resolved = try descriptor.resolve(inputs: registration.inputs, clientID: registration.clientID)
        provider = resolved.registered(resolved.values(registration, now: clock.now, random: random))
        providerClock = ProviderClock(clock)
        refreshMargin = TimeInterval(provider.refresh.margin)
        var limits = limits
        limits.localHosts.formUnion(descriptor.ownHosts)
        if registration.allowsLocalInputs { limits.localHosts.formUnion(provider.namedHosts) }
        exchanger = Exchanger(
            transport: transport, limits: limits, observer: observer, logger: logger, clock: providerClock,
            certificate: PresentedCertificate(registration, at: provider), provider: provider)
        cache = ProviderCache(
            provider, exchanger: exchanger, clock: clock, certificate: exchanger.certificate)
        claimSources = Dictionary(
            provider.profile.sources.map { [provider, exchanger] source in
                let keys = ProviderCache(
                    provider, exchanger: exchanger, clock: clock, otherKeys: source.jwks)
                return (ByteKey(source.issuer), keys)
            }
        ) { first, _ in first }
    }

    /// Begins a sign-in. The result contains the authorization URL, and the data to keep until the callback.
    ///
    /// - Throws: `OAuthError`.
    public func beginSignIn(_ options: AuthorizationOptions = AuthorizationOptions()) async throws
        -> AuthorizationRequest
    {
        try await Telemetry.beginningSignIn(at: provider.id) {
            let provider = try await cache.provider()
            let request = try AuthorizationRequest(
                to: provider, as: registration, options: options, random: random, now: clock.now)
            guard provider.pushesAuthorization(wanted: options.delivery.isPushed) else { return request }
            return try await push(request, to: provider)
        }
    }

    func context<Stage>(at provider: Stage) -> RequestContext<Stage> {
        RequestContext(at: provider, as: registration, random: random, now: providerClock.now)
    }

    /// Pushes a sign-in's parameters to the server (RFC 9126). There is no fallback if the server rejects them.
    private func push(_ request: AuthorizationRequest, to provider: DiscoveredProvider) async throws
        -> AuthorizationRequest
    {
        let (response, push) = try await send(within: bounds) {
            try request.pushing(in: context(at: provider))
        }
        return try request.referring(to: response, request: push, at: provider, now: clock.now)
    }

    /// Completes a sign-in: validates the callback, exchanges its code once, validates the ID token, saves the tokens.
    ///
    /// If it fails, the store is unchanged. Only an error at step `connection` comes after the tokens were saved;
    /// then the session exists, and `Session.connect(choosing:)` repeats the missing part.
    ///
    /// - Parameters:
    ///   - account: The account's name in the store; by default the verified e-mail address or the subject of the ID
    /// token, else the subject of the profile.
    ///   - choosing: Called if a lookup of the descriptor finds several candidates.
    /// - Throws: `OAuthError`, `TokenStoreError`.
    public func completeSignIn(
        _ callback: AuthorizationCallback,
        for pending: PendingAuthorization,
        account: String? = nil,
        choosing: ConnectionChooser? = nil
    ) async throws -> Session {
        try await completeSignIn(callback, for: pending, account: account, continuing: nil, choosing: choosing) { $0 }
    }

    /// Completes a sign-in and runs `body`. If `body` fails, metrics count the sign-in as failed.
    ///
    /// - Parameter old: The connection of the account that must be the one that consents.
    package func completeSignIn<Result: Sendable>(
        _ callback: AuthorizationCallback, for pending: PendingAuthorization, account: String?,
        continuing old: Connection? = nil, choosing: ConnectionChooser? = nil,
        _ body: @Sendable (Session) async throws -> Result
    ) async throws -> Result {
        try await Telemetry.measuring("carnet.sign_in", at: provider.id.rawValue) {
            try await body(
                finishSignIn(callback, for: pending, account: account, continuing: old, choosing: choosing))
        }
    }

    private func finishSignIn(
        _ callback: AuthorizationCallback, for pending: PendingAuthorization, account: String?,
        continuing old: Connection?, choosing: ConnectionChooser?
    ) async throws -> Session {
        let discovered = try await cache.provider()
        let validated = try await validate(callback, for: pending, from: discovered)
        let provider = filled(discovered, with: ConnectionValues(callback: validated))
        // A request that cannot be sent, or a result that cannot be saved, must not use up the attempt.
        try await prepareToSave(as: account)
        let first = try TokenRequest.authorizationCode(
            validated, in: context(at: provider))
        let bounds = bounds.of(pending).hiding { validated.secrets }
        try bounds.check(first)
        try use(pending)
        let (incoming, request) = try await send(within: bounds, provedBy: pending.dpopKey, first: first) {
            try TokenRequest.authorizationCode(
                validated, in: context(at: provider))
        }
        var response = try TokenResponse(validating: incoming, to: request, from: provider)
        try response.decryptIDToken(for: registration, from: provider, requested: pending.scopes)
        let accessToken = response.accessToken
        // The token for a resource works without an ID token.
        let idToken = try await validateIDToken(
            of: response, requested: pending.scopes, isOptional: provider.resource != nil,
            isProof: pending.demandsProofOfAuthentication
        ) { () throws(OAuthError) in
            try IDTokenExpectations(
                from: provider.discovered, as: registration, for: validated, accessToken: accessToken)
        }
        let result = SignInResult(
            response: response, idToken: idToken, scopes: validated.scopes ?? pending.scopes,
            resources: pending.resources ?? [],
            values: ConnectionValues(values: response.values, callback: validated), dpopKey: pending.dpopKey)
        return try await establishSession(
            with: result, from: provider, as: account, continuing: old, choosing: choosing)
    }

    /// Makes the exchange steps of a successful sign-in, saves its tokens, and connects.
    func establishSession(
        with result: SignInResult, from provider: FilledProvider, as account: String?,
        continuing old: Connection? = nil, choosing: ConnectionChooser?
    ) async throws -> Session {
        let discovered = provider.discovered
        let binding = try await cache.binding()
        let first = TokenSet(result.response, requested: result.scopes, now: providerClock.now)
        let issued = bounds.of(binding, at: discovered).hiding {
            first.secrets + (result.values.callback?.secrets ?? [])
                + result.response.tokenSets.flatMap { [$0.value.accessToken, $0.value.refreshToken].compactMap { $0 } }
        }
        let (exchanged, values) = try await makingExchangeSteps(
            first, result.values, provedBy: result.dpopKey, at: provider, within: issued)
        let bounds = issued.hiding { exchanged.secrets + values.secrets }
        let known = filled(discovered, with: ConnectionValues(tokens: exchanged, values: values))
        let tokens = await findingExpiry(of: exchanged, at: known, within: bounds)
        let profile = Profile.source(at: known) == .tokenResponse ? Profile(result.response, from: known) : nil
        let stated = result.idToken?.subject
        // An ID token does not stand in for the account that a condition refuses.
        let isConditional = known.profile.hasConditionalSubject
        let isProved = try result.idToken?.provesAccount(at: known) ?? false
        var subject = Profile.subject(stated: isConditional && !isProved ? nil : stated, profile, at: known)
        if subject == nil, account == nil || old?.subject != nil || isConditional {
            subject = try await subjectFromUserinfo(
                tokens, values, provedBy: result.dpopKey, at: discovered, within: bounds, stated: stated,
                isNeeded: account == nil || isConditional)
        }
        let isUnknown = stated == nil && discovered.endpoints.userinfoNeedsConnection
        guard subject != nil || !isConditional || isUnknown else { throw OAuthError.refusedByCondition(.profile) }
        subject = stated ?? subject
        let name = account ?? result.idToken?.claims.verifiedEmail ?? subject ?? "default"
        let signedIn = Connection(
            key: ConnectionKey(provider: provider.id.rawValue, account: name), clientID: registration.clientID,
            tokens: tokens, issuer: result.idToken?.issuer, subject: subject,
            sessionID: result.idToken?.claims["sid"]?.string, inputs: provider.inputs,
            environment: provider.environment, profile: profile?.raw.jsonText(), dpopKey: result.dpopKey,
            values: values.isEmpty ? nil : values, binding: binding, resources: result.resources)
        let session = try await save(signedIn, isNamed: account != nil, continuing: old)
        if !result.response.tokenSets.isEmpty {
            var main = signedIn
            main.key = session.key
            try await saveTokenSets(of: result.response, besides: main)
        }
        if !discovered.connection.isEmpty { try await session.connect(choosing: choosing) }
        try await shareValues(of: session, with: result.response.tokenSets)
        return session
    }

    /// Whether the store can be read, and could save.
    ///
    /// - Throws: `TokenStoreError`.
    package func checkStore() async throws {
        let probe = ConnectionKey(provider: provider.id.rawValue, account: "health check")
        _ = try await store.load(probe)
        try await store.prepareToSave(probe)
    }

    func prepareToSave(as account: String?) async throws {
        try await store.prepareToSave(ConnectionKey(provider: provider.id.rawValue, account: account ?? ""))
    }

    /// The names of the accounts that are signed in to this provider. No record is decrypted.
    ///
    /// - Throws: `TokenStoreError`.
    public func accounts() async throws -> [String] {
        try await store.keys().filter { $0.provider.isSameBytes(as: provider.id.rawValue) }.map(\.account).sorted()
    }

    /// The session of an account that signed in before, even in an earlier process; `nil` if there is none.
    ///
    /// - Throws: `TokenStoreError`; `OAuthError` if the tokens were issued to another client.
    public func session(for account: String) async throws -> Session? {
        try await session(of: ConnectionKey(provider: provider.id.rawValue, account: account))
    }

    func session(of key: ConnectionKey) async throws -> Session? {
        guard let stored = try await store.load(key) else {
            sessions.withLock { $0[key] = nil }
            return nil
        }
        try checkOwner(of: stored.connection)
        return session(of: stored.connection)
    }

    /// - Throws: `OAuthError` if the tokens were issued to another client, with whose secret they must not be sent, or for
    /// another resource, whose id may be the same.
    func checkOwner(of connection: Connection) throws(OAuthError) {
        if let resource = connection.binding.resource,
            provider.resource?.resourceNames.containsBytes(of: resource) != true
        {
            throw OAuthError(
                .storage, .bindingMismatch,
                "the stored tokens of \(connection.key.account.quotable(limit: 80)) are for the resource \(resource.quotable())",
                descriptorKey: "resource")
        }
        guard connection.clientID.isSameBytes(as: registration.clientID),
            connection.inputs.isSameBytes(as: provider.inputs),
            connection.environment.isSameBytes(as: provider.environment)
        else {
            throw OAuthError(
                .storage, .badRegistration,
                "the stored tokens of \(connection.key.account.quotable(limit: 80)) were issued to another client id, other inputs or another environment"
            )
        }
    }

    /// One session object for each account, so that its refreshes are shared.
    func session(of connection: Connection) -> Session {
        sessions.withLock { sessions in
            if let session = sessions[connection.key]?.session { return session }
            sessions.forget { $0.session == nil }
            let session = Session(connection.key, client: self)
            sessions[connection.key] = WeakSession(session: session)
            return session
        }
    }

    /// Returns when no refresh is in progress: a process that ends between the request and the save loses the new tokens.
    package func finishRefreshes() async { await refreshes.finish() }

    /// Requests metadata and keys, as the first sign-in does.
    ///
    /// - Throws: `OAuthError`.
    package func requestMetadata() async throws {
        if try await cache.provider().endpoints[.jwks] != nil { _ = try await cache.keySet() }
    }

    /// Whether a page of the provider ends its own session (OpenID Connect RP-Initiated Logout).
    package func hasEndOfSession() async -> Bool { (try? await cache.provider().endpoints[.endSession]) != nil }

    /// The session object of an account, if one exists.
    func sharedSession(of key: ConnectionKey) -> Session? { sessions.withLock { $0[key]?.session } }

    /// Marks an attempt as used, so that a second callback is rejected (RFC 6749, section 10.5).
    private func use(_ pending: PendingAuthorization) throws(OAuthError) {
        let now = clock.now
        let isFirst = usedAttempts.withLock { attempts in
            attempts.forget { $0 <= now }
            guard attempts[pending.id] == nil else { return false }
            attempts[pending.id] = pending.expiresAt
            return true
        }
        guard isFirst else { throw OAuthError(.callback, .alreadyUsed, "this callback was used before") }
    }
}
