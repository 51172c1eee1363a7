import CarnetDescriptors
import CarnetProtocol
import Foundation

extension HeldValues {
    init(of connection: Connection) {
        self.init(tokens: connection.tokens, values: connection.values ?? [:])
    }
}

extension Connection {
    /// Merges values; newer ones replace older ones.
    mutating func keep(_ newer: [String: ConnectionValue]) {
        guard !newer.isEmpty else { return }
        values = (values ?? [:]).merging(newer) { _, new in new }
    }

    /// Keeps values that only the first callback of an account contains.
    mutating func keepFirstCallback(of old: Connection?, at provider: Provider) {
        guard let name = provider.profile.callback?.capture, subject != nil,
            let old, old.key == key, isSameIdentity(as: old)
        else { return }
        let reference = "callback.\(name)"
        if values?[reference] == nil, let first = old.values?[reference] { keep([reference: first]) }
    }
}

extension OAuthClient {
    /// The provider with its templates filled from an account's values.
    nonisolated func provider(for connection: Connection) async throws -> Provider {
        filled(try await self.connection.provider(), with: HeldValues(of: connection))
    }

    nonisolated func filled(_ provider: Provider, with held: HeldValues) -> Provider {
        provider.filled(with: held, as: registration, now: clock.now, random: random)
    }

    nonisolated func requests(
        at provider: Provider, with held: HeldValues, tokens: TokenSet
    ) -> ConnectionRequest {
        ConnectionRequest(at: provider, as: registration, with: held, tokens: tokens, now: clock.now, random: random)
    }

    /// Makes the exchange steps. The validated ID token stays.
    nonisolated func exchanged(
        _ tokens: TokenSet, _ held: HeldValues, boundTo dpopKey: Secret?, at provider: Provider,
        within bounds: CredentialBounds, isRefresh: Bool = false
    ) async throws -> (TokenSet, [String: ConnectionValue]) {
        var tokens = tokens
        var held = held
        for step in provider.exchange where !isRefresh || step.value.repeatsAfterRefresh {
            let (now, heldNow) = (tokens, held)
            let (answer, request) = try await send(
                within: bounds, provedBy: now.isSenderConstrained ? dpopKey : nil
            ) {
                try requests(at: provider, with: heldNow, tokens: now).exchange(step)
            }
            let response = try ExchangeResponse(judging: answer, to: request, of: step, from: provider)
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
    nonisolated func derivedAgain(_ connection: Connection, at provider: Provider) -> [String: ConnectionValue] {
        let requests = requests(at: provider, with: HeldValues(of: connection), tokens: connection.tokens)
        var values: [String: ConnectionValue] = [:]
        for rule in provider.connection.derive.names {
            if let value = try? requests.derived(rule) { values["connection.\(rule)"] = value }
        }
        return values
    }

    /// Sends a request with a connection's access token, and a proof if the token is bound to a key.
    nonisolated func send(
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
    nonisolated func disconnect(_ connection: Connection) async -> [OAuthError] {
        guard let provider = try? await self.connection.provider() else { return [] }
        let requests = requests(at: provider, with: HeldValues(of: connection), tokens: connection.tokens)
        var failures: [OAuthError] = []
        for (index, call) in provider.connection.onDisconnect.enumerated() {
            do {
                let (answer, request) = try await send(with: connection) {
                    try requests.call(call, key: "connection.on_disconnect.\(index)")
                }
                try ResourceRequest.judge(answer, to: request)
            } catch {
                failures.append(
                    error as? OAuthError ?? OAuthError(.connection, .cancelled, "the request was cancelled"))
            }
        }
        return failures
    }
}
