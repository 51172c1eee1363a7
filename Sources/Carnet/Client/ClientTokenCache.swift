import CarnetProtocol
import Foundation

/// The access tokens that a client has of its own, each until it ends. Callers at the same time share one request.
actor ClientTokenCache {
    struct Key: Hashable {
        /// How a token is got.
        enum Grant: Hashable {
            case clientCredentials
            case assertion(subject: String?)
        }

        var grant = Grant.clientCredentials
        var scopes: [String]
        var resources: [String]
    }

    private var tokens: [Key: TokenSet] = [:]
    private var requests: [Key: Task<TokenSet, any Error>] = [:]

    /// How many tokens are kept; the one that ends first goes.
    private static let capacity = 64

    /// - Parameter margin: How many seconds before its end a token is no longer given.
    func tokens(
        for key: Key,
        margin: TimeInterval,
        clock: any WallClock,
        request: @escaping @Sendable () async throws -> TokenSet
    ) async throws -> TokenSet {
        if let known = tokens[key], !known.isExpiring(within: margin, at: clock.now) { return known }
        let task = requests[key] ?? Task { try await renew(key, request) }
        requests[key] = task
        return try await task.value
    }

    /// Forgets a token that a resource did not take.
    func forget(_ key: Key) {
        tokens[key] = nil
    }

    private func renew(_ key: Key, _ request: @Sendable () async throws -> TokenSet) async throws -> TokenSet {
        defer { requests[key] = nil }
        let fresh = try await request()
        // One whose end is not known is not kept: nobody would ever renew it.
        tokens[key] = fresh.expiresAt == nil ? nil : fresh
        if tokens.count > Self.capacity {
            let first = tokens.min { ($0.value.expiresAt ?? .distantPast) < ($1.value.expiresAt ?? .distantPast) }
            if let first { tokens[first.key] = nil }
        }
        return fresh
    }
}
