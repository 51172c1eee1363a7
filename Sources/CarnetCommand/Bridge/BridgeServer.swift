import Carnet
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

/// Sends the requests of a bridge with a valid token, and asks the user where that is necessary.
struct BridgeServer: Sendable {
    let account: BridgeAccount
    /// Headers of the user's own.
    let own: HTTPFields

    /// How often one message may ask the user. A server could demand other scopes each time.
    private static let questions = 2
    /// How often one message may be sent again with tokens that another process got. A process that was stopped may find
    /// several of them expired.
    private static let attempts = 5

    /// - Parameters:
    ///   - endpoint: Where it goes instead of the resource's own URL, as the server named it.
    ///   - asks: Whether the user may be asked to sign in, or for more scopes.
    ///   - stream: Takes the body of a successful response.
    /// - Returns: A response with any status but 401 and 403.
    /// - Throws: `Failure`, `TokenStoreError`, `CancellationError`.
    func send(
        _ method: HTTPRequest.Method, to endpoint: String? = nil, _ fields: HTTPFields, body: [UInt8] = [],
        asks: Bool = true, stream: ResponseStream? = nil
    ) async throws -> IncomingResponse {
        var fields = fields
        for var field in own {
            field.indexingStrategy = .disallow
            fields[fields: field.name] = [field]
        }
        if let direct = try await account.withoutAccount() {
            let url = try endpoint.map(direct.resource.endpoint) ?? direct.resource
            let response = try await following(url, method, fields) { try await direct.send($0, body, stream) }
            guard response.status == 401, !direct.isFinal else { return response.hiding(await secrets()) }
            try await account.requireSignIn()
        }
        var questions = asks ? Self.questions : 0
        var attempts = Self.attempts
        while true {
            let open = try await account.current(asks: asks)
            let url = try endpoint.map(open.resource.endpoint) ?? open.resource
            var used: TokenSet?
            do {
                let tokens = try await open.session.tokens()
                used = tokens
                let response = try await following(url, method, fields) {
                    try await open.session.send($0, body: body, accepting: 200..<600, streaming: stream)
                }
                await account.prove()
                guard response.head.status.kind != .successful else { return response }
                return response.hiding(tokens.secrets + (await secrets()))
            } catch let error as OAuthError where questions > 0 && error.kind == .insufficientScope {
                questions -= 1
                await account.prove()
                let isNew = error.scopes.contains { scope in used?.scopes.contains(scope) != true }
                guard isNew, try await account.grant(error.scopes, to: open) else { throw open.failures.explain(error) }
            } catch let error as OAuthError
                where questions > 0 && attempts > 0
                && (error.disposition == .signInAgain || error.isOfForgottenClient && open.registersItself)
            {
                attempts -= 1
                if error.kind == .unauthorized, await account.isUnproven(used?.accessToken) {
                    throw open.failures.rejectedAtOnce(error)
                }
                let stored = try? await open.session.storedTokens()
                let rejected = used ?? (error.isOfForgottenClient ? stored : nil)
                if try await account.signInAgain(insteadOf: rejected?.accessToken) { questions -= 1 }
            } catch let error as OAuthError {
                // The server may have taken the token of a request whose response was lost.
                if error.kind == .transport { await account.prove() }
                if error.step == .discovery { await account.close() }
                throw open.failures.explain(error)
            }
        }
    }

    /// What the server may repeat: headers of the user's own, and the tokens, also those that were refreshed meanwhile.
    func secrets() async -> [Secret] { own.map { Secret($0.value) } + (await account.secrets()) }

    /// A text that may quote a response, whose media type is in small letters.
    func hiding(_ text: String) async -> String {
        let secrets = await secrets()
        let response = IncomingResponse(head: HTTPResponse(status: .ok), body: Array(text.utf8))
            .hiding(secrets + secrets.map { Secret($0.reveal().lowercased()) })
        return String(decoding: response.body, as: UTF8.self)
    }

    func words(of body: [UInt8]) async -> String? {
        IncomingResponse(head: HTTPResponse(status: .ok), body: body).words(hiding: await secrets())
    }

    /// Sends a request, and to where the server redirects it: servers redirect /mcp to /mcp/, and have done nothing then.
    /// Another origin gets no token.
    private func following(
        _ url: WebURL, _ method: HTTPRequest.Method, _ fields: HTTPFields,
        _ send: (HTTPRequest) async throws -> IncomingResponse
    ) async throws -> IncomingResponse {
        let response = try await send(HTTPRequest(url: url.text, method: method, headerFields: fields))
        guard [307, 308].contains(response.status), let next = response.redirect(from: url) else { return response }
        return try await send(HTTPRequest(url: next.text, method: method, headerFields: fields))
    }
}
