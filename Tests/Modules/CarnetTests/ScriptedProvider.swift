import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes

/// A provider by script: responds to each path as the test says, else as a good provider would, and remembers every request.
final class ScriptedProvider: Transport {
    typealias Handler = @Sendable (ScriptedProvider, _ form: [String: String]) async throws -> IncomingResponse

    private struct State {
        var handlers: [String: Handler] = [:]
        var requests: [OutgoingRequest] = []
        var tokensIssued = 0
        var nonces: [String: String] = [:]
        var secrets: [String] = []
    }

    let clock = ManualClock()
    private let state = Lock(State())

    // MARK: What the test says

    func on(_ path: String, _ handler: @escaping Handler) {
        state.withLock { $0.handlers[path] = handler }
    }

    func on(_ path: String, response: IncomingResponse) {
        on(path) { _, _ in response }
    }

    func on(_ path: String, fail kind: TransportError.Kind) {
        on(path) { _, _ in throw TransportError(kind, "scripted") }
    }

    /// Responds to a path as a good provider again.
    func restore(_ path: String) {
        state.withLock { $0.handlers[path] = nil }
    }

    // MARK: What it saw

    var requests: [OutgoingRequest] { state.withLock(\.requests) }

    func requests(to path: String) -> [OutgoingRequest] { requests.filter { Self.path(of: $0) == path } }

    func count(_ path: String) -> Int { requests(to: path).count }

    func forms(_ path: String) -> [[String: String]] { requests(to: path).map(Self.form) }

    /// Everything secret that was sent or given.
    var secrets: [String] { state.withLock(\.secrets) }

    func remember(secrets: [String]) { state.withLock { $0.secrets += secrets } }

    // MARK: Transport

    func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        let path = Self.path(of: request)
        let handler = state.withLock { state in
            state.requests.append(request)
            return state.handlers[path]
        }
        let form = Self.form(of: request)
        if let handler { return try await handler(self, form) }
        return try await reply(path, form)
    }

    func reply(_ path: String, _ form: [String: String]) async throws -> IncomingResponse {
        switch path {
        case "/token": return .json(try tokens(for: form).jsonText())
        case "/jwks": return .json((["keys": [try SigningKey.rsa.jwk(["kid": "1"])]] as JSONValue).jsonText())
        case "/userinfo": return .json(#"{"sub":"user-1","name":"Ada"}"#)
        case "/revoke": return .json("{}")
        case "/.well-known/openid-configuration": return .json(Self.metadata())
        default: throw FixtureError(reason: "nothing is scripted for \(path)")
        }
    }

    /// What a good provider issues, with claims of the ID token and members of the response changed.
    func tokens(
        for form: [String: String],
        claims changes: [String: JSONValue?] = [:],
        members: [String: JSONValue?] = [:],
        key: SigningKey = .rsa,
        keyID: String? = "1"
    ) throws -> JSONValue {
        let (number, nonce) = state.withLock { state in
            state.tokensIssued += 1
            return (state.tokensIssued, form["code"].flatMap { state.nonces[$0] })
        }
        let now = Int(clock.now.timeIntervalSince1970)
        var claims = JSONObject()
        claims["iss"] = "https://id.acme.example"
        claims["sub"] = "user-1"
        claims["aud"] = "client"
        claims["exp"] = .number("\(now + 3600)")
        claims["iat"] = .number("\(now)")
        if let nonce { claims["nonce"] = .string(nonce) }
        for (name, value) in changes { claims[name] = value }
        let idToken = try key.token(.object(claims), algorithm: "RS256", keyID: keyID)
        var body = JSONObject()
        body["access_token"] = .string("access-token-\(number)")
        body["refresh_token"] = .string("refresh-token-\(number)")
        body["id_token"] = .string(idToken)
        body["token_type"] = "Bearer"
        body["expires_in"] = 3600
        body["scope"] = "openid profile email"
        for (name, value) in members { body[name] = value }
        remember(secrets: ["access_token", "refresh_token", "id_token"].compactMap { body[$0]?.string })
        return .object(body)
    }

    static func metadata(issuer: String = "https://id.acme.example") -> String {
        """
        {"issuer":"\(issuer)","authorization_endpoint":"https://id.acme.example/authorize",\
        "token_endpoint":"https://id.acme.example/token","jwks_uri":"https://id.acme.example/jwks",\
        "userinfo_endpoint":"https://id.acme.example/userinfo"}
        """
    }

    private static func path(of request: OutgoingRequest) -> String {
        String((request.head.path ?? "").prefix { $0 != "?" })
    }

    static func form(of request: OutgoingRequest) -> [String: String] {
        let pairs = PercentEncoding.decodeForm(String(decoding: request.body, as: UTF8.self)) ?? []
        return Dictionary(pairs.map { ($0.name, $0.value) }) { $0 + "|" + $1 }
    }
}

extension ScriptedProvider {
    func client(
        _ yaml: String = Fixture.openID,
        clientID: String = "client",
        secret: String? = nil,
        store: any TokenStore = MemoryTokenStore(),
        observer: (any ExchangeObserver)? = nil
    ) throws -> OAuthClient {
        try OAuthClient(
            try Fixture.descriptor(yaml),
            registration: ClientRegistration(
                clientID: clientID,
                credentials: secret.map { .secret(Secret($0)) } ?? .publicClient,
                redirectURI: "com.example.app:/callback"
            ),
            transport: self,
            store: store,
            clock: clock,
            observer: observer
        )
    }

    /// The callback of a user who consents.
    func callback(_ request: AuthorizationRequest, code: String? = nil) -> AuthorizationCallback {
        let code = code ?? "code-for-\(request.pending.id.reveal().prefix(12))"
        let query = PercentEncoding.decodeForm(String(request.url.drop { $0 != "?" }.dropFirst())) ?? []
        let nonce = query.first { $0.name == "nonce" }?.value
        state.withLock { $0.nonces[code] = nonce }
        remember(
            secrets: query.filter { ["state", "nonce", "code_challenge"].contains($0.name) }.map(\.value) + [code])
        return AuthorizationCallback(
            url: "com.example.app:/callback?code=\(code)&state=\(request.pending.id.reveal())")
    }

    func signIn(_ client: OAuthClient, account: String? = nil) async throws -> Session {
        let request = try await client.beginSignIn()
        return try await client.completeSignIn(callback(request), for: request.pending, account: account)
    }

    /// A client that is signed in, and its session.
    func session(_ yaml: String = Fixture.openID, store: any TokenStore = MemoryTokenStore()) async throws -> Session {
        try await signIn(try client(yaml, store: store))
    }
}
