import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// An access token without a user, with the key that it is bound to.
struct ClientToken: Sendable {
    var tokens: TokenSet
    /// Values of the response besides the tokens, and values derived from it.
    var values: [String: ConnectionValue] = [:]
    var dpopKey: Secret?
    /// The origins that may receive it.
    var binding: CredentialBinding
}

/// The access tokens of grants without a user, each until its expiry. Concurrent callers share one request.
actor ClientTokenCache {
    struct Key: Hashable, Sendable {
        private let proof: ClientGrant.Proof
        private let scopes: [ByteKey]
        private let resource: [ByteKey]

        /// `nil` for an assertion of another party, which differs each time.
        init?(_ grant: ClientGrant) {
            if case .given = grant.proof { return nil }
            proof = grant.proof
            scopes = grant.scopes.map(ByteKey.init)
            resource = grant.resource.map(ByteKey.init)
        }
    }

    private var tokens: [Key: ClientToken] = [:]
    private var requests: [Key: Task<ClientToken, any Error>] = [:]

    /// The maximum number of tokens. Beyond it, the token that expires first is dropped.
    private static let capacity = 64

    /// - Parameter margin: A token is not returned in the last seconds before its expiry.
    func tokens(
        for key: Key, margin: TimeInterval, clock: any WallClock,
        request: @escaping @Sendable () async throws -> ClientToken
    ) async throws -> ClientToken {
        if let known = tokens[key], !known.tokens.isExpiring(within: margin, at: clock.now) { return known }
        let task = requests[key] ?? Task { try await makeToken(key, request) }
        requests[key] = task
        return try await task.value
    }

    /// Removes a token that a resource rejected.
    func forget(_ key: Key) { tokens[key] = nil }

    private func makeToken(_ key: Key, _ request: @Sendable () async throws -> ClientToken) async throws -> ClientToken
    {
        defer { requests[key] = nil }
        let fresh = try await request()
        // A token without a known expiry is not kept: nothing would ever refresh it.
        tokens[key] = fresh.tokens.expiresAt == nil ? nil : fresh
        if tokens.count > Self.capacity {
            let first = tokens.min {
                ($0.value.tokens.expiresAt ?? .distantPast) < ($1.value.tokens.expiresAt ?? .distantPast)
            }
            if let first { tokens[first.key] = nil }
        }
        return fresh
    }
}
