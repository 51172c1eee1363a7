import CarnetDescriptors
import CarnetProtocol
import Foundation

/// A token of a client's own, with the key that it is bound to.
struct ClientToken: Sendable {
    var tokens: TokenSet
    var dpopKey: Secret?
    /// Where it may be sent.
    var binding: CredentialBinding
}

/// The access tokens that a client has of its own, each until it ends. Callers at the same time share one request.
actor ClientTokenCache {
    struct Key: Hashable {
        /// How a token is got.
        enum Grant: Hashable {
            case clientCredentials
            case assertion(subject: ByteKey?)
        }

        let grant: Grant
        private let scopeKeys: [ByteKey]
        private let resourceKeys: [ByteKey]

        var scopes: [String] { scopeKeys.map(\.text) }
        var resources: [String] { resourceKeys.map(\.text) }

        init(grant: Grant = .clientCredentials, scopes: [String], resources: [String]) {
            self.grant = grant
            scopeKeys = scopes.map(ByteKey.init)
            resourceKeys = resources.map(ByteKey.init)
        }
    }

    private var tokens: [Key: ClientToken] = [:]
    private var requests: [Key: Task<ClientToken, any Error>] = [:]

    /// How many tokens are kept; the one that ends first goes.
    private static let capacity = 64

    /// - Parameter margin: How many seconds before its end a token is no longer given.
    func tokens(
        for key: Key,
        margin: TimeInterval,
        clock: any WallClock,
        request: @escaping @Sendable () async throws -> ClientToken
    ) async throws -> ClientToken {
        if let known = tokens[key], !known.tokens.isExpiring(within: margin, at: clock.now) { return known }
        let task = requests[key] ?? Task { try await renew(key, request) }
        requests[key] = task
        return try await task.value
    }

    /// Forgets a token that a resource did not take.
    func forget(_ key: Key) {
        tokens[key] = nil
    }

    private func renew(_ key: Key, _ request: @Sendable () async throws -> ClientToken) async throws -> ClientToken {
        defer { requests[key] = nil }
        let fresh = try await request()
        // One whose end is not known is not kept: nobody would ever renew it.
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
