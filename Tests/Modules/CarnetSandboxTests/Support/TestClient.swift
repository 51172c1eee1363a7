import CarnetDescriptors
import CarnetFoundation
import CarnetSandbox
import Crypto
import Foundation
import HTTPTypes
import Testing

/// A client that does everything right, except what a test tells it to do otherwise.
struct TestClient {
    static let redirectURI = "http://127.0.0.1/callback"

    let sandbox: Sandbox
    let provider: Provider
    let clock = ManualClock()
    var verifier = "verifier-0123456789-0123456789-0123456789-0123456789"
    var registration = SandboxClient(
        clientID: "client é+&=%",
        redirectURIs: [Self.redirectURI, "com.example.app:/callback"],
        postLogoutRedirectURIs: ["https://app.example/bye"]
    )

    /// A client of a sandbox that was made elsewhere.
    init(provider: Provider, sandbox: Sandbox) throws {
        self.provider = provider
        self.sandbox = sandbox
    }

    init(
        _ yaml: String = acme,
        secret: String? = nil,
        method: ClientAuthenticationMethod? = nil,
        options: SandboxOptions = SandboxOptions()
    ) throws {
        try self.init(provider: makeProvider(yaml), secret: secret, method: method, options: options)
    }

    init(
        provider: Provider,
        secret: String? = nil,
        method: ClientAuthenticationMethod? = nil,
        options: SandboxOptions = SandboxOptions()
    ) throws {
        self.provider = provider
        registration.clientSecret = secret
        registration.authenticationMethod = method
        sandbox = Sandbox(providers: [provider], clients: [registration], options: options, now: clock.now)
    }

    var challenge: String { base64URL(SHA256.hash(data: Data(verifier.utf8))) }

    func endpoint(_ name: EndpointName) async throws -> String {
        if let url = provider.endpoints[name] { return url.text }
        let metadata = try await get("\(try #require(provider.issuer))/.well-known/openid-configuration")
        return try #require(metadata.json[name.metadataName]?.string)
    }

    // MARK: Authorization

    func authorizationParameters() -> [(String, String)] {
        let rules = provider.authorization
        let standard = [
            ("response_type", "code"), ("client_id", registration.clientID), ("redirect_uri", Self.redirectURI),
            ("scope", scopes.joined(separator: provider.scopes.separator)), ("state", "state é+&=%"),
            ("nonce", "nonce+1"), ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ]
        return standard.filter { !rules.omit.contains($0.0) && !$0.1.isEmpty }.map {
            (rules.rename[$0.0] ?? $0.0, $0.1)
        }
            + (rules.parameters + rules.offlineParameters).map { ($0.name, $0.value) }
    }

    var scopes: [String] { provider.scopes.defaults + provider.scopes.required + provider.scopes.offline }

    /// - Parameters:
    ///   - changes: Parameters to send instead; `nil` leaves one out.
    ///   - added: Parameters to send at the end.
    func authorizationURL(
        _ changes: [String: String?] = [:], adding added: [(String, String)] = []
    ) async throws -> String {
        try await endpoint(.authorization) + "?" + form(changed(authorizationParameters(), changes) + added)
    }

    func authorize(_ changes: [String: String?] = [:], adding added: [(String, String)] = []) async throws
        -> TestResponse
    {
        try await get(authorizationURL(changes, adding: added))
    }

    /// The parameters of the callback after a request that is as it must be.
    func callback(_ changes: [String: String?] = [:]) async throws -> [String: String] {
        let reply = try await authorize(changes)
        return try #require(reply.callback, "\(reply.text)")
    }

    // MARK: Tokens

    func tokenParameters(code: String) -> [(String, String)] {
        named(
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", Self.redirectURI),
                ("client_id", registration.clientID), ("code_verifier", verifier),
            ],
            provider.token.request
        )
    }

    func refreshParameters(_ token: String) -> [(String, String)] {
        named(
            [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", registration.clientID)],
            provider.refresh.request
        )
    }

    private func named(_ parameters: [(String, String)], _ rules: ResolvedRequest) -> [(String, String)] {
        parameters.filter { !rules.omit.contains($0.0) }.map { (rules.rename[$0.0] ?? $0.0, $0.1) }
            + rules.parameters.map { ($0.name, $0.value) }
    }

    /// Exchanges a code; a new one if none is given.
    func exchange(
        code: String? = nil, _ changes: [String: String?] = [:], headers: HTTPFields = [:],
        as encoding: BodyEncoding? = nil
    ) async throws -> TestResponse {
        var code = code
        if code == nil { code = try await callback()["code"] }
        let parameters = changed(tokenParameters(code: try #require(code)), changes)
        return try await send(parameters, to: .token, headers: headers, as: encoding ?? provider.token.request.body)
    }

    func refresh(
        _ token: String, _ changes: [String: String?] = [:], headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        try await send(
            changed(refreshParameters(token), changes), to: .token, headers: headers, as: provider.refresh.request.body)
    }

    func send(
        _ parameters: [(String, String)], to name: EndpointName, headers: HTTPFields = [:],
        as encoding: BodyEncoding = .form
    ) async throws -> TestResponse {
        var headers = headers
        var url = try await endpoint(name)
        var body: [UInt8] = []
        switch encoding {
        case .form:
            headers[.contentType] = "application/x-www-form-urlencoded"
            body = Array(form(parameters).utf8)
        case .json:
            headers[.contentType] = "application/json"
            var object = JSONObject()
            for (name, value) in parameters { object[name] = .string(value) }
            body = Array(JSONValue.object(object).jsonText().utf8)
        case .query:
            url += "?" + form(parameters)
        }
        return try await request(.post, url, headers: headers, body: body)
    }

    // MARK: Any request

    func get(_ url: String, bearer: String? = nil, headers: HTTPFields = [:]) async throws -> TestResponse {
        var headers = headers
        if let bearer { headers[.authorization] = "\(provider.api.scheme) \(bearer)" }
        return try await request(.get, url, headers: headers)
    }

    func request(
        _ method: HTTPRequest.Method, _ text: String, headers: HTTPFields = [:], body: [UInt8] = []
    ) async throws -> TestResponse {
        let url = try WebURL(text)
        let (response, bytes) = await sandbox.respond(
            to: HTTPRequest(
                method: method, scheme: url.scheme, authority: url.authority, path: url.target, headerFields: headers),
            body: body
        )
        return TestResponse(head: response, body: bytes)
    }

    private func changed(_ parameters: [(String, String)], _ changes: [String: String?]) -> [(String, String)] {
        var parameters = parameters
        for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
            let index = parameters.firstIndex { $0.0 == name }
            switch (index, value) {
            case (let index?, let value?): parameters[index].1 = value
            case (let index?, nil): parameters.remove(at: index)
            case (nil, let value?): parameters.append((name, value))
            case (nil, nil): break
            }
        }
        return parameters
    }
}

/// A response of the sandbox.
struct TestResponse {
    let head: HTTPResponse
    let body: [UInt8]

    var status: Int { head.status.code }
    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }
    var error: String? { json["error"]?.string }
    var challenge: String? { head.headerFields[.wwwAuthenticate] }

    /// The parameters of the redirect.
    var callback: [String: String]? {
        guard let location = head.headerFields[.location], let query = location.split(separator: "?").dropFirst().first
        else { return nil }
        return formValues(query)
    }
}

func form(_ parameters: [(String, String)]) -> String {
    let unreserved = CharacterSet(charactersIn: "-._~").union(.alphanumerics).intersection(
        CharacterSet(charactersIn: "!"..."~"))
    return parameters.map { pair in
        [pair.0, pair.1].map { $0.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "" }.joined(
            separator: "=")
    }.joined(separator: "&")
}

func formValues(_ text: some StringProtocol) -> [String: String] {
    var values: [String: String] = [:]
    for pair in text.split(separator: "&") {
        let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        values[halves[0].removingPercentEncoding ?? ""] = halves[1].removingPercentEncoding
    }
    return values
}

func base64URL(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}
