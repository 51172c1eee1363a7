import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

extension ConnectionValues {
    init(of connection: Connection) { self.init(tokens: connection.tokens, values: connection.values ?? [:]) }

    var secrets: [Secret] { (tokens?.secrets ?? []) + values.secrets }
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
    /// What no message about the connection may show.
    var secrets: [Secret] { self.tokens.secrets + (self.values?.secrets ?? []) }

    /// Merges values; newer ones replace older ones.
    mutating func merge(_ newer: [String: ConnectionValue]) {
        guard !newer.isEmpty else { return }
        self.values = (self.values ?? [:]).merging(newer) { _, new in new }
    }

    /// Drops values that are not there any more.
    mutating func drop(_ references: [TemplateReference]) {
        for reference in references { self.values?[reference.description] = nil }
    }

    /// Keeps values that only the first callback of an account contains.
    mutating func inheritFirstCallback(of old: Connection?, at provider: some ProviderStage) {
        guard let name = provider.profile.callback?.capture, self.subject != nil,
            let old, old.key == key, isSameIdentity(as: old)
        else { return }
        let reference = "callback.\(name)"
        if self.values?[reference] == nil, let first = old.values?[reference] { merge([reference: first]) }
    }
}

extension OAuthClient {
    /// The provider with its templates filled from an account's values.
    func provider(for connection: Connection) async throws -> FilledProvider {
        filled(try await self.cache.provider(), with: ConnectionValues(of: connection)).reading(connection.key.tokenSet)
    }

    /// The provider for requests of the client itself.
    package func providerWithoutAccount() async throws -> FilledProvider {
        filled(try await cache.provider(), with: ConnectionValues())
    }

    func filled(_ provider: DiscoveredProvider, with collected: @autoclosure () -> ConnectionValues) -> FilledProvider {
        provider.filled(with: collected(), as: registration, now: clock.now, random: random)
    }

    func requests(
        at provider: DiscoveredProvider, with collected: ConnectionValues, tokens: TokenSet
    ) -> ConnectionRequest {
        ConnectionRequest(
            at: provider, as: registration, with: collected, tokens: tokens, now: clock.now, random: random)
    }

    /// Makes the exchange steps. The validated ID token stays.
    func makingExchangeSteps(
        _ tokens: TokenSet, _ collected: ConnectionValues, provedBy dpopKey: Secret?, at provider: FilledProvider,
        within bounds: CredentialBounds, isRefresh: Bool = false
    ) async throws -> (TokenSet, [String: ConnectionValue]) {
        var tokens = tokens
        var collected = collected
        var bounds = bounds
        for step in provider.exchange where !isRefresh || step.value.repeatsAfterRefresh {
            let (now, collectedNow) = (tokens, collected)
            bounds = bounds.hiding { now.secrets + collectedNow.secrets }
            let response: ExchangeResponse
            do {
                let (incoming, request) = try await send(
                    within: bounds, provedBy: now.isSenderConstrained ? dpopKey : nil
                ) { try requests(at: provider.discovered, with: collectedNow, tokens: now).exchange(step) }
                response = try ExchangeResponse(validating: incoming, to: request, of: step, from: provider)
            } catch let error as OAuthError where step.value.isOptional && error.wouldRepeat {
                continue
            }
            collected.values.merge(response.values) { _, new in new }
            if let newer = response.tokens {
                let idToken = tokens.idToken
                tokens = tokens.merging(newer, now: providerClock.now)
                tokens.idToken = idToken
            }
        }
        return (tokens, collected.values)
    }

    /// The values that can be derived without a lookup. One that cannot be derived is left out.
    func derived(from known: ConnectionValues, at provider: DiscoveredProvider) -> [String: ConnectionValue] {
        guard let tokens = known.tokens else { return [:] }
        let rules = provider.connection.derive
        var collected = known
        var values: [String: ConnectionValue] = [:]
        for rule in rules.names {
            let requests = requests(at: provider, with: collected, tokens: tokens)
            if let value = (try? requests.derived(rule)) ?? nil { values["connection.\(rule)"] = value }
            collected.values.merge(values) { _, new in new }
        }
        return values
    }

    /// Sends a request with a connection's access token, and a proof if the token is bound to a key.
    func send(with connection: Connection, _ make: @Sendable () throws -> PreparedRequest) async throws -> Exchange {
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
                try call.validate(incoming, to: request)
            } catch {
                failures.append(
                    error as? OAuthError ?? OAuthError(.connection, .cancelled, "the request was cancelled"))
            }
        }
        return failures
    }
}
