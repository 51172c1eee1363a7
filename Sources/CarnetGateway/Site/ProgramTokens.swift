import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetWeb

/// The tokens of people for the programs of routes with `token`.
final class ProgramTokens: Sendable {
    private struct Entry {
        let token: Secret
        let until: Date
    }

    /// Of exchanged tokens.
    private static let limit = 20_000
    /// In bytes. A proxy has little more room for all headers together.
    private static let longest = 6_144
    /// How long a token without an expiry is used again, in seconds.
    private static let lifetime: TimeInterval = 60

    private let exchanged = Lock(Recent<ByteKey, Entry>(limit: ProgramTokens.limit))

    /// - Throws: `OAuthError` if the person has no such token, or it is bound to the gateway's key; `TokenStoreError`.
    func value(_ rules: GatewayRouteToken, of account: WebAccount, _ web: WebSignIn) async throws -> String {
        let token = try await token(rules, of: account, web).reveal()
        guard token.utf8.count <= Self.longest, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Self.failure("the token has \(token.utf8.count) bytes, or no form for a header")
        }
        return rules.header == .authorization ? "Bearer \(token)" : token
    }

    private func token(_ rules: GatewayRouteToken, of account: WebAccount, _ web: WebSignIn) async throws -> Secret {
        guard let session = try await web.tokenSession(of: account) else {
            throw Self.failure("the session has no tokens")
        }
        let tokens = try await session.tokens()
        if rules.kind == .id {
            guard let token = tokens.idToken else { throw Self.failure("the provider issued no ID token") }
            return token
        }
        guard tokens.tokenType.lowercased() == "bearer" else {
            throw Self.failure("the access token is bound to a key of the gateway")
        }
        guard let audience = rules.audience else { return tokens.accessToken }
        let key = ByteKey("\(audience)\n\(tokens.accessToken.reveal())")
        let now = web.clock.now
        if let entry = exchanged.withLock({ $0.value(of: key) }), entry.until > now { return entry.token }
        let (new, _) = try await session.exchange { token in
            TokenExchange(TokenExchange.TypedToken(token), audience: [audience])
        }
        let half = new.expiresAt.map { $0.timeIntervalSince(now) / 2 } ?? Self.lifetime
        exchanged.withLock { $0.keep(Entry(token: new.accessToken, until: now.addingTimeInterval(half)), for: key) }
        return new.accessToken
    }

    private static func failure(_ reason: String) -> OAuthError {
        OAuthError(.configuration, .unsupported, "no token for the program: \(reason)")
    }
}
