import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes

/// A protected resource and its authorization server, by script: a response for each URL, and 404 for all others.
final class ScriptedHosts: Transport {
    static let resource = "https://api.example/mcp"
    static let issuer = "https://id.example"

    typealias Handler = @Sendable (OutgoingRequest) throws -> IncomingResponse

    private struct State {
        var handlers: [String: Handler] = [:]
        var log: [(url: String, request: OutgoingRequest)] = []
        var issued = 0
    }

    let clock = ManualClock()
    private let state = Lock(State())

    /// - Parameter issuer: The authorization server's, with the path of its metadata.
    init(issuer: String = ScriptedHosts.issuer, metadata: String = "/.well-known/oauth-authorization-server") {
        let origin = issuer.split(separator: "/").prefix(2).joined(separator: "//")
        on("\(origin)\(metadata)", json: Self.metadata(issuer))
        on("\(issuer)/token") { [weak self] request in .json(self?.tokens(for: request) ?? "{}") }
        on("\(issuer)/register") { [weak self] _ in
            let number = self?.count("\(issuer)/register") ?? 0
            return .json(
                """
                {"client_id":"registered-\(number)","client_secret":"secret-\(number)",\
                "token_endpoint_auth_method":"client_secret_basic"}
                """, status: 201)
        }
    }

    static func metadata(_ issuer: String, _ changes: [String: JSONValue?] = [:]) -> String {
        let good: JSONValue = [
            "issuer": .string(issuer), "authorization_endpoint": .string("\(issuer)/authorize"),
            "token_endpoint": .string("\(issuer)/token"), "registration_endpoint": .string("\(issuer)/register"),
            "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
        ]
        var document = good.object ?? JSONObject()
        for (name, value) in changes { document[name] = value }
        return JSONValue.object(document).jsonText()
    }

    static func document(_ resource: String, issuer: String = ScriptedHosts.issuer, scopes: [String]? = nil) -> String {
        var document = JSONObject()
        document["resource"] = .string(resource)
        document["authorization_servers"] = [.string(issuer)]
        document["scopes_supported"] = scopes.map { JSONValue.array($0.map { JSONValue.string($0) }) }
        return JSONValue.object(document).jsonText()
    }

    func on(_ url: String, _ handler: @escaping Handler) { state.withLock { $0.handlers[url] = handler } }

    func on(_ url: String, json: String, status: Int = 200) { on(url) { _ in .json(json, status: status) } }

    /// Has the resource demand a token.
    func challenge(_ parameters: String = "", at url: String = ScriptedHosts.resource) {
        on(url) { request in
            guard request.head.headerFields[.authorization] == nil else { return .json(#"{"ok":true}"#) }
            var response = IncomingResponse.json("{}", status: 401)
            response.head.headerFields[.wwwAuthenticate] = "Bearer \(parameters)"
            return response
        }
    }

    var urls: [String] { state.withLock { $0.log.map(\.url) } }

    func count(_ url: String) -> Int { urls.count { $0 == url } }

    func requests(to url: String) -> [OutgoingRequest] {
        state.withLock { $0.log.filter { $0.url == url }.map(\.request) }
    }

    func forms(_ url: String) -> [[String: String]] { requests(to: url).map(ScriptedProvider.form) }

    func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        let url = "\(request.head.scheme ?? "")://\(request.head.authority ?? "")\(request.head.path ?? "")"
        let handler = state.withLock { state in
            state.log.append((url, request))
            return state.handlers[url]
        }
        return try handler?(request) ?? .json("{}", status: 404)
    }

    private func tokens(for request: OutgoingRequest) -> String {
        let number = state.withLock { state in
            state.issued += 1
            return state.issued
        }
        return """
            {"access_token":"access-\(number)","refresh_token":"refresh-\(number)","token_type":"Bearer","expires_in":3600}
            """
    }
}

extension ScriptedHosts {
    /// A client of the resource, which registers itself.
    func client(
        _ resource: String = ScriptedHosts.resource, registry: ProviderRegistry = ProviderRegistry(),
        registering: AutomaticRegistration? = nil
    ) async throws -> OAuthClient {
        try await OAuthClient(
            resource: resource,
            registering: registering
                ?? AutomaticRegistration(
                    ClientMetadata(
                        redirectURIs: ["http://127.0.0.1/callback"], authenticationMethod: .clientSecretBasic),
                    transport: self, clock: clock),
            registry: registry, transport: self, clock: clock)
    }

    /// The query of an authorization URL.
    static func query(_ request: AuthorizationRequest) -> [String: String] {
        let pairs = PercentEncoding.decodeForm(String(request.url.drop { $0 != "?" }.dropFirst())) ?? []
        return Dictionary(pairs.map { ($0.name, $0.value) }) { $0 + "|" + $1 }
    }

    /// A sign-in whose user consents.
    func signIn(
        _ client: OAuthClient, issuer: String = ScriptedHosts.issuer, _ options: AuthorizationOptions = .init()
    ) async throws -> Session {
        let request = try await client.beginSignIn(options)
        let iss = PercentEncoding.encode(issuer)
        let callback = "http://127.0.0.1/callback?code=c&state=\(request.pending.id.reveal())&iss=\(iss)"
        return try await client.completeSignIn(AuthorizationCallback(url: callback), for: request.pending)
    }
}
