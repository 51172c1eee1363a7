import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetStorage
import HTTPTypes

/// The account of a bridge. Bridges that start together sign in once: the first of them opens the page, and the others
/// find its account.
actor BridgeAccount {
    /// An account, and the URL that the messages go to: the one that the user named. The tokens may be for all of its host.
    struct Open: Sendable {
        let session: Session
        let resource: WebURL
        let failures: ProviderFailure
        /// Whether another client can be registered.
        let registersItself: Bool
    }

    private let options: AccountOptions
    private let found: FoundServerOptions
    private let way: LoginAgent.Way
    private let ownToken: ClientTokenOptions
    private let context: CommandContext
    private var open: Open?
    /// The token of the last sign-in that the user was asked for here, until the server has accepted one. If it rejects this
    /// one, the next sign-in would bring another.
    private var unproven: Secret?
    /// Whether the server has asked for a sign-in.
    private var needsSignIn = false
    private let plain: WebURL?
    private let neverSignsIn: Bool
    private var direct: Direct?
    /// Those of the requests with a token of the client itself, the latest first.
    private var ownSecrets: [Secret] = []
    private var opening: Task<(open: Open, isNew: Bool), any Error>?

    /// - Parameters:
    ///   - ownToken: How the client gets a token of its own, if it does.
    ///   - plain: The URL of a server over plain http: no token goes there.
    ///   - neverSignsIn: Whether the user has a token for the server.
    init(
        _ options: AccountOptions, _ found: FoundServerOptions, way: LoginAgent.Way, ownToken: ClientTokenOptions,
        plain: WebURL?, neverSignsIn: Bool, _ context: CommandContext
    ) {
        (self.options, self.found, self.way, self.context) = (options, found, way, context)
        (self.ownToken, self.plain, self.neverSignsIn) = (ownToken, plain, neverSignsIn)
    }

    /// How messages get to the server without an account: with a token of the client itself, or without one.
    struct Direct: Sendable {
        let resource: WebURL
        /// Whether a status of 401 is the response.
        let isFinal: Bool
        let send: @Sendable (HTTPRequest, [UInt8], ResponseStream?) async throws -> IncomingResponse
    }

    /// - Returns: `nil` once somebody is signed in, or the server has asked for a sign-in.
    /// - Throws: `Failure`, `OAuthError`, `TokenStoreError`.
    func withoutAccount() async throws -> Direct? {
        guard !needsSignIn, open == nil, opening == nil else { return nil }
        if let direct { return direct }
        if ownToken.isWanted {
            direct = try await withOwnToken()
        } else {
            guard ProviderSources.isResource(options.provider) else { return nil }
            if plain == nil, !neverSignsIn, let found = try await found() {
                open = found
                return nil
            }
            direct = try withoutToken()
        }
        return direct
    }

    /// - Throws: `Failure` at a server over plain http.
    func requireSignIn() throws {
        guard plain == nil else {
            throw Failure(
                .failed,
                "the server requires a sign-in, and a token over plain http could be read on the way: "
                    + "the server needs https, or no sign-in")
        }
        (needsSignIn, direct) = (true, nil)
    }

    private nonisolated func withoutToken() throws -> Direct {
        let resource = try plain ?? ProviderSources.resource(options.provider)
        let transport = try connector().connector.transport(to: resource)
        let limits = TransportLimits(deadline: deadline)
        return Direct(resource: resource, isFinal: neverSignsIn) { head, body, stream in
            var request = OutgoingRequest(head: head, body: body)
            request.stream = stream
            return try await transport.send(request, limits: limits)
        }
    }

    private nonisolated func withOwnToken() async throws -> Direct {
        let (connector, entry) = try await entryToSignIn()
        let failures = ProviderFailure(entry: entry, givenOptions: connector.givenOptions)
        return try await failures.explaining {
            let registration = try await connector.registration(for: entry, prefersSecret: true)
            let client = try connector.client(for: entry, registration: registration)
            guard let resource = client.provider.resource else {
                throw Failure(.usage, "\(entry.descriptor.id) is the id of no protected resource")
            }
            let wanted = ownToken.scopes.flatMap { $0.split(separator: " ").map(String.init) }
            let grant = try ownToken.grant(wanted, context.environment)
            return Direct(resource: resource, isFinal: true) { head, body, stream in
                do {
                    let response = try await client.send(
                        head, body: body, with: grant, accepting: 200..<600, streaming: stream)
                    await self.keep(response.request?.secrets ?? [])
                    return response
                } catch let error as OAuthError {
                    if error.step == .discovery { await self.close() }
                    throw failures.explain(error)
                }
            }
        }
    }

    /// The next message makes another client: this one remembers for a while that it got no metadata, and the server may be back.
    func close() { (open, direct) = (nil, nil) }

    func secrets() async -> [Secret] {
        ownSecrets + ((try? await open?.session.storedTokens())?.secrets ?? [])
    }

    private func keep(_ secrets: [Secret]) {
        ownSecrets = secrets + ownSecrets.filter { !secrets.contains($0) }.prefix(16)
    }

    /// The server has accepted a token.
    func prove() { unproven = nil }

    /// Whether the server has seen nothing of the sign-in that brought a token.
    func isUnproven(_ token: Secret?) -> Bool { token != nil && token == unproven }

    /// Ends a sign-in that waits for the user.
    func cancel() { opening?.cancel() }

    /// - Parameter asks: Whether the user signs in if there is none.
    /// - Throws: `Failure`, `OAuthError`, `TokenStoreError`.
    func current(asks: Bool) async throws -> Open {
        if let open { return open }
        if let opening { return try await opening.value.open }
        if let found = try await found() {
            open = found
            return found
        }
        guard asks else { throw Failure(.failed, "nobody is signed in") }
        return try await opened(insteadOf: nil).open
    }

    /// Signs in again, unless another process has done so.
    ///
    /// - Parameter rejected: The access token that no longer serves.
    /// - Returns: Whether the user was asked.
    func signInAgain(insteadOf rejected: Secret?) async throws -> Bool {
        open = nil
        return try await opened(insteadOf: rejected).isNew
    }

    /// Asks the user for scopes, unless they were granted meanwhile.
    ///
    /// - Returns: Whether one of them is granted now.
    func grant(_ scopes: [String], to open: Open) async throws -> Bool {
        try await alone {
            let granted = try await open.session.storedTokens().scopes
            let missing = scopes.filter { !granted.contains($0) }
            guard !missing.isEmpty else { return true }
            context.console.note("the server requires more scopes: \(missing.joined(separator: " "))".printable)
            let agent = agent(try connector().connector)
            do {
                let options = AuthorizationOptions(lifetime: TimeInterval(patience))
                return try await open.session.requestScopes(missing, with: agent, options: options)
                    .scopes.contains(where: missing.contains)
            } catch let error as OAuthError where error.server?.code == "invalid_scope" && open.registersItself {
                // Some servers grant no scope that was not registered, and the client may be older than the scope.
                let new = try await signIn(again: true, requesting: granted + missing, as: open.session.key.account)
                await self.use(new)
                return try await new.session.storedTokens().scopes.contains(where: missing.contains)
            }
        }
    }

    private func use(_ new: Open) { open = new }

    /// One sign-in for all messages that wait for it. It continues if one of them is cancelled.
    private func opened(insteadOf rejected: Secret?) async throws -> (open: Open, isNew: Bool) {
        if let opening { return try await opening.value }
        let task = Task {
            try await alone { () -> (open: Open, isNew: Bool) in
                if let found = try await found(), try await found.session.storedTokens().accessToken != rejected {
                    return (found, false)
                }
                return (try await signIn(), true)
            }
        }
        opening = task
        defer { opening = nil }
        let result = try await task.value
        open = result.open
        if result.isNew { unproven = try? await result.open.session.storedTokens().accessToken }
        return result
    }

    // MARK: The store

    /// How long the server may take. --timeout may be longer here, because it is for the user as well.
    nonisolated var deadline: Duration { min(options.network.deadline, TransportLimits().deadline) }

    private nonisolated var patience: Int { options.network.timeout ?? 300 }

    /// Runs `body` while no other bridge asks the user about this resource.
    private nonisolated func alone<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        let users = UserStore(context.environment)
        let isSandbox = options.network.sandbox != nil
        try users.prepare(ofSandbox: isSandbox)
        return try await users.tokens(ofSandbox: isSandbox, lockPatience: .seconds(patience))
            .withLock(on: .signIn(at: options.provider, as: options.account), body)
    }

    /// The account that is signed in; `nil` for none.
    private nonisolated func found() async throws -> Open? {
        do {
            let place = try await AccountPlace(options, context)
            let account = try await Account(place)
            return try open(try await account.session(), account.client, of: place.entry, place.connector)
        } catch is NobodySignedIn {
            return nil
        }
    }

    private nonisolated func open(
        _ session: Session, _ client: OAuthClient, of entry: ProviderRegistry.Entry, _ connector: Connector
    ) throws -> Open {
        guard let resource = client.provider.resource else {
            throw Failure(
                .usage, "\(entry.descriptor.id) is the id of no protected resource",
                next: ["run carnet mcp URL, or write resource: URL in the descriptor"])
        }
        let isNamed = ProviderSources.isResource(options.provider)
        return Open(
            session: session, resource: isNamed ? try ProviderSources.resource(options.provider) : resource,
            failures: ProviderFailure(entry: entry, givenOptions: connector.givenOptions),
            registersItself: try connector.registersItself(at: entry))
    }

    // MARK: The user

    private nonisolated func connector() throws -> (connector: Connector, sources: ProviderSources) {
        let sources = try ProviderSources(options.providers, context, isQuiet: true)
        return (try Connector(options.network, options.client, sources, context, deadline: deadline), sources)
    }

    private nonisolated func entryToSignIn() async throws -> (Connector, ProviderRegistry.Entry) {
        let (connector, sources) = try connector()
        return (connector, try await connector.entryToSignIn(options.provider, sources, context, found, asks: false))
    }

    private nonisolated func agent(_ connector: Connector) -> any UserAgent {
        connector.agent(
            LoginAgent(way: way, timeout: patience, secrets: connector.secretVariables, console: context.console))
    }

    /// - Parameters:
    ///   - again: Whether another client is registered.
    ///   - scopes: Those to request instead of the default ones.
    private nonisolated func signIn(
        again: Bool = false, requesting scopes: [String]? = nil, as account: String? = nil
    ) async throws -> Open {
        let (connector, entry) = try await entryToSignIn()
        context.console.note("signing in to \(entry.descriptor.name)".printable)
        return try await ProviderFailure(entry: entry, givenOptions: connector.givenOptions).explaining {
            let registration = try await connector.registration(
                for: entry, registering: found.document, again: again, requesting: scopes ?? [])
            let client = try connector.client(for: entry, registration: registration)
            let failures = ProviderFailure(
                entry: entry, redirectURI: registration.redirectURI, givenOptions: connector.givenOptions)
            let session = try await failures.explaining {
                let authorization = AuthorizationOptions(scopes: scopes, lifetime: TimeInterval(patience))
                return try await client.signIn(
                    with: agent(connector), options: authorization, account: account ?? options.account)
            }
            context.console.note("signed in as \(session.key.account)".printable)
            return try open(session, client, of: entry, connector)
        }
    }
}

extension ConnectionKey {
    /// What the bridges lock while one of them asks the user. No record has this key: no provider has this id, because of its
    /// first character.
    fileprivate static func signIn(at provider: String, as account: String?) -> ConnectionKey {
        ConnectionKey(provider: "#sign-in", account: account.map { "\(provider) \($0)" } ?? provider)
    }
}
