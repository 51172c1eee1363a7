public import CarnetDescriptors
public import CarnetProtocol
import Foundation
public import HTTPTypes

/// One signed-in account: gives valid access tokens, and uses them.
///
/// Tokens are renewed before they end and once after a 401, by one request however many callers wait, and they are
/// saved before anyone is given them. Only the provider's own word ends a session; any other failure keeps the tokens.
public actor Session {
    public nonisolated let key: ConnectionKey
    private let client: OAuthClient
    private var refreshing: Task<Connection, any Error>?

    init(_ key: ConnectionKey, client: OAuthClient) {
        self.key = key
        self.client = client
    }

    /// The stored tokens as they are, perhaps past their end.
    ///
    /// - Throws: `TokenStoreError`; `OAuthError` of kind `sessionEnded` if there are none.
    public func storedTokens() async throws -> TokenSet {
        try await stored().connection.tokens
    }

    /// Tokens whose access token is valid now.
    ///
    /// - Throws: `OAuthError`, whose `disposition` tells "sign in again" from "try later"; `TokenStoreError`.
    public func tokens() async throws -> TokenSet {
        try await validConnection().tokens
    }

    /// Renews the tokens now.
    ///
    /// - Throws: as `tokens()`; of kind `noRefreshToken` if the provider gave none.
    @discardableResult
    public func refresh() async throws -> TokenSet {
        try await refreshed(from: try await stored().connection).tokens
    }

    /// Who signed in.
    ///
    /// - Throws: `OAuthError`, `TokenStoreError`.
    public func profile() async throws -> Profile {
        let provider = try await client.connection.provider()
        switch Profile.source(at: provider) {
        case .userinfo:
            return try await retryingOnce(with: try await validConnection()) { connection in
                let request = try Profile.request(connection.tokens, at: provider)
                let response = try await self.client.exchanger.send(request)
                return try Profile(judging: response, to: request, from: provider, subject: connection.subject)
            }
        case .idToken:
            guard let token = try await stored().connection.tokens.idToken else {
                throw OAuthError(
                    .profile,
                    .missingField,
                    "there is no ID token to read the profile from",
                    descriptorKey: "profile.from",
                    hint: "ask for the scope openid, or name a userinfo endpoint"
                )
            }
            return Profile(try IDToken(storedAfterValidation: token), from: provider)
        case .tokenResponse:
            return try Profile(stored: try await stored().connection.profile ?? "{}", from: provider)
        }
    }

    /// The resources of the descriptor, or of a map of the host's own, each with the scopes that are still missing.
    public func resources(_ map: ResourceMap? = nil) async throws -> [ResourceAccess] {
        let granted = try await stored().connection.tokens.scopes
        return (map ?? ResourceMap(of: client.provider)).access(granted: granted)
    }

    /// Calls a resource with the access token.
    ///
    /// - Throws: `OAuthError`: `insufficientScope`, `undeclaredHost`, `unauthorized` when a renewed token is refused
    ///   too.
    public func call(
        _ resource: Resource,
        body: [UInt8] = [],
        headers: [Named<String>] = []
    ) async throws -> IncomingResponse {
        let missing = ResourceMap([resource], scopes: client.provider.scopes)
            .access(granted: try await stored().connection.tokens.scopes)[0].missing
        guard missing.isEmpty else {
            throw OAuthError(
                .resource,
                .insufficientScope,
                "\"\(resource.title)\" needs scopes that were not granted",
                descriptorKey: "resources",
                hint: "sign in with the scopes " + missing.joined(separator: " ")
            )
        }
        return try await call(
            resource.url,
            method: HTTPRequest.Method(resource.method.rawValue) ?? .get,
            headers: resource.headers + headers,
            body: body,
            declared: [resource]
        )
    }

    /// Calls a URL of a declared host with the access token.
    ///
    /// - Parameter declared: Resources whose origins the token may go to, besides those of the descriptor.
    /// - Throws: as `call(_:body:headers:)`.
    public func call(
        _ url: WebURL,
        method: HTTPRequest.Method = .get,
        headers: [Named<String>] = [],
        body: [UInt8] = [],
        declared: [Resource] = []
    ) async throws -> IncomingResponse {
        let provider = try await client.connection.provider()
        return try await retryingOnce(with: try await validConnection()) { connection in
            let request = try ResourceRequest.make(
                url,
                method: method,
                headers: headers,
                body: body,
                tokens: connection.tokens,
                at: provider,
                declared: declared
            )
            let response = try await self.client.exchanger.send(request)
            try ResourceRequest.judge(response, to: request)
            return response
        }
    }
}

// MARK: - Renewing

extension Session {
    private func stored() async throws -> StoredConnection {
        guard let stored = try await client.store.load(key) else {
            throw OAuthError(
                .storage, .sessionEnded, "\(key.account) is not signed in to \(key.provider)", hint: "sign in")
        }
        try client.checkOwner(of: stored.connection)
        return stored
    }

    private func validConnection() async throws -> Connection {
        let connection = try await stored().connection
        let margin = TimeInterval(client.provider.refreshMargin)
        guard connection.tokens.isExpiring(within: margin, at: client.clock.now) else { return connection }
        do {
            return try await refreshed(from: connection)
        } catch let error as OAuthError where error.kind != .sessionEnded && error.step != .idToken {
            // Inside the margin the token still serves; a failure to renew it early is no failure yet.
            guard connection.tokens.isExpiring(within: 0, at: client.clock.now) else { return connection }
            throw error
        }
    }

    /// Runs a request, and once more with renewed tokens if the access token was refused.
    private func retryingOnce<Result: Sendable>(
        with connection: Connection,
        _ body: (Connection) async throws -> Result
    ) async throws -> Result {
        do {
            return try await body(connection)
        } catch let error as OAuthError where error.kind == .unauthorized && connection.tokens.refreshToken != nil {
            return try await body(try await refreshed(from: connection))
        }
    }

    /// Renewed tokens in place of stale ones. Callers at the same time share one renewal; it outlives a caller that is
    /// cancelled, because the provider may already have replaced the refresh token.
    private func refreshed(from stale: Connection) async throws -> Connection {
        while let refreshing {
            let renewed = try await refreshing.value
            // A renewal of still older tokens may have brought the very ones that were found wanting.
            if renewed.tokens != stale.tokens { return renewed }
        }
        let task = Task { try await renew(stale) }
        refreshing = task
        return try await task.value
    }

    private func renew(_ stale: Connection) async throws -> Connection {
        defer { refreshing = nil }
        let provider = try await client.connection.provider()
        return try await client.store.withLock(on: key) { [client, key] in
            guard let stored = try await client.store.load(key) else {
                throw OAuthError(.refresh, .sessionEnded, "the session was ended elsewhere", hint: "sign in again")
            }
            // Another process came first: its tokens are newer than the ones that this caller found wanting.
            guard stored.connection.tokens == stale.tokens else { return stored.connection }
            try client.checkOwner(of: stored.connection)
            return try await Self.renew(stored, client: client, provider: provider)
        }
    }

    private static func renew(
        _ stored: StoredConnection,
        client: OAuthClient,
        provider: Provider
    ) async throws -> Connection {
        guard let refreshToken = stored.connection.tokens.credential(for: provider) else {
            throw OAuthError(
                .refresh,
                .noRefreshToken,
                "the provider gave no refresh token",
                descriptorKey: "scopes.offline",
                hint: "sign in again; the descriptor says how a refresh token is asked for"
            )
        }
        let request = try TokenRequest.refresh(refreshToken, at: provider, as: client.registration)
        let answer = try await client.exchanger.send(request)
        let response: TokenResponse
        do {
            response = try TokenResponse(judging: answer, to: request, from: provider)
        } catch {
            guard error.kind == .serverError, error.server?.code == "invalid_grant" else { throw error }
            try await client.store.remove(stored.connection.key)
            throw error.endingSession
        }
        if let token = response.idToken {
            let expectations = try IDTokenExpectations(
                from: provider,
                as: client.registration,
                nonce: stored.connection.nonce.map { .continuing($0) } ?? .ofRefresh,
                accessToken: response.accessToken,
                subject: stored.connection.subject
            )
            _ = try await client.validate(token, expecting: expectations)
        }
        var renewed = stored.connection
        renewed.tokens = stored.connection.tokens.merging(response, now: client.clock.now)
        do {
            _ = try await client.store.save(renewed, replacing: stored.revision)
            return renewed
        } catch let error as TokenStoreError where error.kind == .conflict {
            // Whoever saved first, a new sign-in say, has the tokens that count; a sign-out left none.
            guard let newer = try await client.store.load(renewed.key) else {
                throw OAuthError(.refresh, .sessionEnded, "the session was ended elsewhere", hint: "sign in again")
            }
            return newer.connection
        }
    }
}

extension TokenSet {
    /// The token that a refresh exchanges.
    fileprivate func credential(for provider: Provider) -> Secret? {
        switch provider.refreshCredential {
        case .refreshToken: refreshToken
        case .accessToken: accessToken
        }
    }
}

extension Connection {
    /// The nonce of the sign-in, if the ID token that is held repeats it.
    fileprivate var nonce: Secret? {
        tokens.idToken.flatMap { try? IDToken(storedAfterValidation: $0) }?.claims["nonce"]?.string.map { Secret($0) }
    }
}

// MARK: - Signing out

/// How far a sign-out goes.
public enum SignOut: Sendable {
    /// The tokens are forgotten here.
    case local
    /// They are revoked at the provider first, the refresh token before the access token (RFC 7009, section 2.1).
    case revoke
    /// As `revoke`, and the user's session at the provider is to be ended at a page.
    case everywhere
}

/// What a sign-out did. The tokens are forgotten in any case.
public struct SignOutOutcome: Sendable {
    public var isRevoked = false
    /// The page that ends the session at the provider; it may carry the ID token.
    public var endSessionURL: Secret?
    /// What could not be done.
    public var failures: [OAuthError] = []
}

extension Session {
    /// Signs out. A refresh that is under way ends first, so that its tokens are revoked and forgotten too.
    ///
    /// - Throws: `TokenStoreError` if the tokens could not be forgotten; `CancellationError` if the task was cancelled
    ///   before anything was done.
    public func signOut(_ extent: SignOut = .local) async throws -> SignOutOutcome {
        try await client.store.withLock(on: key) { [client, key] in
            guard let connection = try await client.store.load(key)?.connection else { return SignOutOutcome() }
            let outcome =
                extent == .local ? SignOutOutcome() : await Self.end(connection, extent, with: client)
            try await client.store.remove(key)
            return outcome
        }
    }

    /// Ends what the provider keeps, as far as it goes.
    private static func end(
        _ connection: Connection,
        _ extent: SignOut,
        with client: OAuthClient
    ) async -> SignOutOutcome {
        var outcome = SignOutOutcome()
        let tokens = connection.tokens
        let provider: Provider
        do {
            try client.checkOwner(of: connection)
            provider = try await client.connection.provider()
        } catch {
            outcome.failures.append(OAuthError(revocationFailure: error))
            return outcome
        }
        if extent == .everywhere {
            do throws(OAuthError) {
                outcome.endSessionURL = try EndSessionRequest.url(for: tokens, at: provider, as: client.registration)
            } catch {
                outcome.failures.append(error)
            }
        }
        outcome.isRevoked = true
        let all = [(tokens.refreshToken, "refresh_token"), (tokens.accessToken, "access_token")]
        for case (let token?, let hint) in all {
            do {
                let request = try TokenRequest.revoke(token, hint: hint, at: provider, as: client.registration)
                try RevocationResponse.judge(try await client.exchanger.send(request), to: request)
            } catch {
                outcome.isRevoked = false
                let failure = OAuthError(revocationFailure: error)
                // A missing endpoint is missing for both tokens.
                if !outcome.failures.contains(failure) { outcome.failures.append(failure) }
            }
        }
        return outcome
    }
}

extension OAuthError {
    /// What kept a token from being revoked; a cancelled request too, because the tokens are forgotten all the same.
    fileprivate init(revocationFailure error: any Error) {
        self =
            error as? OAuthError
            ?? OAuthError(
                .revocation, .cancelled, "the revocation was cut short", hint: "the tokens are forgotten here")
    }
}

extension OAuthError {
    /// The provider's refusal of a refresh token, said as what it means.
    fileprivate var endingSession: OAuthError {
        var error = self
        error.kind = .sessionEnded
        error.message = "the provider ended the session"
        error.hint = "sign in again"
        return error
    }
}
