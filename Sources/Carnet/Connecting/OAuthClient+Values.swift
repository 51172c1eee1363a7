import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

extension ConnectionValues {
    init(of connection: Connection) {
        self.init(tokens: connection.tokens, values: connection.values ?? [:])
    }
}

extension OAuthError {
    /// Whether a repetition would fail in the same way: the server refused, or its response lacks what the step needs.
    fileprivate var wouldRepeat: Bool {
        guard disposition != .tryLater else { return false }
        return switch kind {
        case .serverError, .missingField, .wrongFieldType, .valueMissing, .valueRefused, .undeclaredHost: true
        default: status.map { (400..<500).contains($0) } ?? false
        }
    }
}

extension Connection {
    /// Merges values; newer ones replace older ones.
    mutating func keep(_ newer: [String: ConnectionValue]) {
        guard !newer.isEmpty else { return }
        self.values = (self.values ?? [:]).merging(newer) { _, new in new }
    }

    /// Drops values that are not there any more.
    mutating func drop(_ references: [TemplateReference]) {
        for reference in references { self.values?[reference.description] = nil }
    }

    /// Keeps values that only the first callback of an account contains.
    mutating func keepFirstCallback(of old: Connection?, at provider: some ProviderStage) {
        guard let name = provider.profile.callback?.capture, self.subject != nil,
            let old, old.key == key, isSameIdentity(as: old)
        else { return }
        let reference = "callback.\(name)"
        if self.values?[reference] == nil, let first = old.values?[reference] { keep([reference: first]) }
    }
}

extension OAuthClient {
    /// The provider with its templates filled from an account's values.
    func provider(for connection: Connection) async throws -> BoundProvider {
        filled(try await self.cache.provider(), with: ConnectionValues(of: connection)).reading(connection.key.tokenSet)
    }

    /// The provider for requests of the client itself.
    package func providerWithoutAccount() async throws -> BoundProvider {
        filled(try await cache.provider(), with: ConnectionValues())
    }

    func filled(
        _ provider: DiscoveredProvider, with held: @autoclosure () -> ConnectionValues
    ) -> BoundProvider {
        provider.filled(with: held(), as: registration, now: clock.now, random: random)
    }

    func requests(
        at provider: DiscoveredProvider, with held: ConnectionValues, tokens: TokenSet
    ) -> ConnectionRequest {
        ConnectionRequest(at: provider, as: registration, with: held, tokens: tokens, now: clock.now, random: random)
    }

    /// Makes the exchange steps. The validated ID token stays.
    func makingExchangeSteps(
        _ tokens: TokenSet, _ held: ConnectionValues, boundTo dpopKey: Secret?, at provider: BoundProvider,
        within bounds: CredentialBounds, isRefresh: Bool = false
    ) async throws -> (TokenSet, [String: ConnectionValue]) {
        var tokens = tokens
        var held = held
        for step in provider.exchange where !isRefresh || step.value.repeatsAfterRefresh {
            let (now, heldNow) = (tokens, held)
            let response: ExchangeResponse
            do {
                let (incoming, request) = try await send(
                    within: bounds, provedBy: now.isSenderConstrained ? dpopKey : nil
                ) {
                    try requests(at: provider.discovered, with: heldNow, tokens: now).exchange(step)
                }
                response = try ExchangeResponse(validating: incoming, to: request, of: step, from: provider)
            } catch let error as OAuthError where step.value.isOptional && error.wouldRepeat {
                continue
            }
            held.values.merge(response.values) { _, new in new }
            if let newer = response.tokens {
                let idToken = tokens.idToken
                tokens = tokens.merging(newer, now: providerClock.now)
                tokens.idToken = idToken
            }
        }
        return (tokens, held.values)
    }

    /// The values derived from refreshed tokens. A value that cannot be derived stays as it was.
    func derivedAgain(
        _ connection: Connection, at provider: DiscoveredProvider
    ) -> [String: ConnectionValue] {
        var held = ConnectionValues(of: connection)
        var values: [String: ConnectionValue] = [:]
        for rule in provider.connection.derive.names {
            let requests = requests(at: provider, with: held, tokens: connection.tokens)
            if let value = (try? requests.derived(rule)) ?? nil { values["connection.\(rule)"] = value }
            held.values.merge(values) { _, new in new }
        }
        return values
    }

    /// Sends a request with a connection's access token, and a proof if the token is bound to a key.
    func send(
        with connection: Connection,
        _ make: @Sendable () throws -> PreparedRequest
    ) async throws -> (response: IncomingResponse, request: PreparedRequest) {
        let tokens = connection.tokens
        return try await send(
            within: try await bounds(of: connection), provedBy: tokens.isSenderConstrained ? connection.dpopKey : nil,
            accessToken: tokens.accessToken, make)
    }

    /// Makes the requests at the end of a connection.
    ///
    /// - Returns: The failures.
    func disconnect(_ connection: Connection) async -> [OAuthError] {
        // A further token set ends with the sign-in's own tokens, which make the requests.
        guard connection.key.tokenSet == nil, let provider = try? await self.cache.provider() else { return [] }
        let requests = requests(at: provider, with: ConnectionValues(of: connection), tokens: connection.tokens)
        var failures: [OAuthError] = []
        for (index, call) in provider.connection.onDisconnect.enumerated() {
            do {
                let (incoming, request) = try await send(with: connection) {
                    try requests.call(call, key: "connection.on_disconnect.\(index)")
                }
                if !call.isDeclined(incoming) { try ResourceRequest.validate(incoming, to: request) }
            } catch {
                failures.append(
                    error as? OAuthError ?? OAuthError(.connection, .cancelled, "the request was cancelled"))
            }
        }
        return failures
    }
}
