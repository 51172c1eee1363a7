import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes

/// Servers at all addresses, each of which responses any request as the client would like it to, and notes what was
/// entrusted to it.
final class ObligingServers: Transport {
    /// What must not come to the wrong server.
    enum Credential: String, CaseIterable, Sendable {
        case accessToken = "access-token-of-the-sign-in"
        case refreshToken = "refresh-token-of-the-sign-in"
        case clientSecret = "s3cret-of-the-client-0123456789abcdef"
        /// The code of a sign-in that was begun before the edit.
        case code = "code-of-the-sign-in"
        case idToken, assertion
    }

    struct Delivery: Hashable, Sendable {
        var credential: Credential
        /// Scheme, host and port.
        var origin: String
    }

    private struct State {
        var deliveries: [Delivery] = []
        /// By the codes that stand for them.
        var nonces: [String: String] = [:]
        var idTokens: Set<String> = []
        /// Whether the response belongs to a sign-in whose credentials are not watched.
        var isAfter = false
        var issuer = FuzzProvider.issuer
        var metadata = ""
        var issued = 0
    }

    private let signer: FuzzProvider
    private let state: Lock<State>

    init(_ signer: FuzzProvider, metadata: String) {
        self.signer = signer
        state = Lock(State(metadata: metadata))
    }

    /// What came to whom so far.
    var deliveries: [Delivery] { state.withLock(\.deliveries) }

    /// Forgets what came, and responds as a provider whose issuer is called so.
    ///
    /// - Parameter isAfter: Whether it is the time of a new sign-in, whose own tokens may go where its descriptor says.
    func begin(issuer: String?, metadata: String, isAfter: Bool = false) {
        state.withLock { state in
            state.deliveries = []
            state.isAfter = isAfter
            state.metadata = metadata
            state.issuer = issuer ?? state.issuer
        }
    }

    /// The callback of a user who consents.
    func callback(_ request: AuthorizationRequest) -> AuthorizationCallback {
        let query = PercentEncoding.decodeForm(String(request.url.drop { $0 != "?" }.dropFirst())) ?? []
        let state = request.pending.id.reveal()
        let code = self.state.withLock { servers in
            let code = servers.isAfter ? "another-code" : Credential.code.rawValue
            servers.nonces[code] = query.first { $0.name == "nonce" }?.value
            return code
        }
        return AuthorizationCallback(url: "https://app.example/callback?code=\(code)&state=\(state)")
    }

    /// Notes what a URL carries that the browser is sent to.
    func note(browserAt url: String) {
        guard let target = try? WebURL(url) else { return }
        note([url], at: target.origin)
    }

    // MARK: Transport

    func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        let head = request.head
        guard let url = try? WebURL("\(head.scheme ?? "")://\(head.authority ?? "")") else {
            throw TransportError(.unsupportedRequest, "no address")
        }
        let body = String(decoding: request.body, as: UTF8.self)
        let fields = head.headerFields.map(\.value)
        let decoded = fields.compactMap { field in
            field.split(separator: " ").last.flatMap { Data(base64Encoded: String($0)) }
                .map { String(decoding: $0, as: UTF8.self) }
        }
        note([head.path ?? "", body] + fields + decoded, at: url.origin)
        return try .json(reply(to: head.path ?? "", at: url, body: body))
    }

    private func note(_ texts: [String], at origin: String) {
        let text = texts.joined(separator: "\n")
        state.withLock { state in
            for credential in Credential.allCases {
                let isThere =
                    switch credential {
                    case .idToken: state.idTokens.contains { text.contains($0) }
                    case .assertion: text.contains("client_assertion=")
                    default: text.contains(credential.rawValue)
                    }
                if isThere { state.deliveries.append(Delivery(credential: credential, origin: origin)) }
            }
        }
    }

    private func reply(to path: String, at url: WebURL, body: String) throws -> String {
        if path.contains("/.well-known/") {
            return url.host == "id.acme.example" ? state.withLock(\.metadata) : metadata(at: url)
        }
        if path.contains("/jwks") { return signer.keySet }
        let code = PercentEncoding.decodeForm(body)?.first { $0.name == "code" }?.value
        return try tokens(for: code)
    }

    /// What another server would say of itself to be taken for the provider.
    private func metadata(at url: WebURL) -> String {
        let names = ["token", "userinfo", "revocation", "introspection", "end_session", "authorization"]
        let endpoints = names.map { #""\#($0)_endpoint":"https://\#(url.authority)/\#($0)""# }
        let issuer = state.withLock(\.issuer)
        return
            #"{"issuer":"\#(issuer)","jwks_uri":"https://\#(url.authority)/jwks",\#(endpoints.joined(separator: ","))}"#
    }

    /// One response for all: tokens, profile, introspection and lookups.
    private func tokens(for code: String?) throws -> String {
        let (isAfter, issuer, nonce, number) = state.withLock { state in
            state.issued += 1
            return (state.isAfter, state.issuer, code.flatMap { state.nonces[$0] }, state.issued)
        }
        let response: JSONValue = [
            "token_type": "Bearer", "expires_in": 3600, "scope": "openid email", "sub": "user-1",
            "email": "ada@acme.example", "active": true, "sites": [["id": "1"]], "region": "eu",
            "api": "https://one.shops.acme.example", "evil": "https://evil.example",
            "issued_token_type": "urn:ietf:params:oauth:token-type:access_token", "request_uri": "urn:example:1",
        ]
        var body = response.object ?? JSONObject()
        // A new sign-in brings no refresh token, as with providers that give it at the first consent only.
        body["access_token"] = .string(isAfter ? "another-token" : "\(Credential.accessToken.rawValue)-\(number)")
        if !isAfter { body["refresh_token"] = .string("\(Credential.refreshToken.rawValue)-\(number)") }
        if code != nil {
            let claims = FuzzProvider.claims.replacing(FuzzProvider.issuer, with: issuer)
                .replacing("}", with: nonce.map { #","nonce":"\#($0)"}"# } ?? "}")
            let token = try signer.signed(Array(FuzzProvider.header.utf8), Array(claims.utf8))
            body["id_token"] = .string(token)
            if !isAfter { state.withLock { _ = $0.idTokens.insert(token) } }
        }
        return JSONValue.object(body).jsonText()
    }
}
