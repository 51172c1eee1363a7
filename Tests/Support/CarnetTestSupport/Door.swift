import Carnet
import CarnetDescriptors
package import CarnetFoundation
package import CarnetProtocol
package import CarnetResourceServer
package import CarnetTesting
import Crypto
import Foundation
package import HTTPTypes
package import Testing

/// A resource server, the issuers whose tokens it accepts, and the tokens that somebody brings.
package struct Door: Sendable {
    package static let resource = "https://api.acme.example"
    package static let issuer = "https://id.acme.example"
    package static let otherIssuer = "https://id.other.example"
    package static let nonceSecret = Secret("the secret of the nonces, of 32 bytes")
    /// The end and the beginning of the tokens, in seconds.
    package static let now = 1_767_225_600

    package let clock: ManualClock
    package let transport: ScriptedTransport
    package let server: ResourceServer

    /// The responses by URL. Without one the request fails, as at an unavailable provider.
    private let responses: Responses

    private final class Responses: Sendable {
        private let table = Lock([String: IncomingResponse]())

        subscript(url: String) -> IncomingResponse? {
            get { table.withLock { $0[url] } }
            set { table.withLock { $0[url] = newValue } }
        }
    }

    /// - Parameters:
    ///   - yaml: Lines for the descriptor of the first issuer.
    ///   - audiences: The audiences of the first issuer; the resource identifier if empty.
    ///   - map: A resource map in YAML.
    ///   - introspects: Whether the first issuer introspects opaque tokens.
    package init(
        _ yaml: String = "", audiences: [String] = [], introspects: Bool = false, nonces: Bool = false,
        resource: String = Door.resource,
        map: String? = nil
    ) throws {
        let (clock, responses) = (ManualClock(), Responses())
        let transport = ScriptedTransport { request in
            let url = "https://\(request.head.authority ?? "")\(request.head.path ?? "")"
            guard let response = responses[url] else { throw TransportError(.connection, "nobody is here") }
            return response
        }
        (self.clock, self.transport, self.responses) = (clock, transport, responses)
        responses["\(Self.issuer)/jwks"] = try Self.keySet([.p256, .rsa])
        responses["\(Self.otherIssuer)/jwks"] = try Self.keySet([.otherP256])
        let first = Self.yaml("acme", Self.issuer) + yaml
        let second = Self.yaml("other", Self.otherIssuer)
        server = try ResourceServer(
            resource,
            accepting: [
                TokenIssuer(
                    try Self.client(first, transport, clock), audiences: audiences,
                    introspectsOpaqueTokens: introspects),
                TokenIssuer(try Self.client(second, transport, clock)),
            ],
            map: map.map { SourceFile(path: "map.yaml", text: $0) },
            nonceSecret: nonces ? Self.nonceSecret : nil
        )
    }

    private static func yaml(_ id: String, _ issuer: String) -> String {
        """
        carnet: 1
        id: \(id)
        name: \(id)
        issuer: \(issuer)
        endpoints:
          authorization: \(issuer)/authorize
          token: \(issuer)/token
          jwks: \(issuer)/jwks
          introspection: \(issuer)/introspect

        """
    }

    package static func client(
        _ yaml: String, _ transport: ScriptedTransport, _ clock: ManualClock
    ) throws -> OAuthClient {
        try OAuthClient(
            Fixture.descriptor(yaml),
            registration: ClientRegistration(
                clientID: "the-api", credentials: .secret(Secret("the-secret-of-the-api")),
                redirectURI: "https://api.acme.example/none"),
            transport: transport, clock: clock)
    }

    private static func keySet(_ keys: [SigningKey]) throws -> IncomingResponse {
        let entries = try keys.enumerated().map { try $0.element.jwk(["kid": .string("\($0.offset)")]) }
        return .json((["keys": .array(entries)] as JSONValue).jsonText())
    }

    /// Replaces the keys that the first issuer publishes.
    package func publish(_ keys: [SigningKey]) throws { responses["\(Self.issuer)/jwks"] = try Self.keySet(keys) }

    package func publish(keySet: JSONValue) { responses["\(Self.issuer)/jwks"] = .json(keySet.jsonText()) }

    /// What the introspection endpoint responds; `nil` for no response.
    package func introspecting(_ response: String?, status: Int = 200) {
        responses["\(Self.issuer)/introspect"] = response.map { .json($0, status: status) }
    }

    /// How often a path of the issuers was requested.
    package func count(_ path: String) -> Int { transport.requests.filter { $0.head.path == path }.count }

    // MARK: - Tokens

    /// The claims of a good token (RFC 9068, section 2.2), changed; a claim of `nil` is left out.
    package static func claims(_ changes: [String: JSONValue?] = [:]) -> JSONValue {
        var claims: JSONObject = [
            "iss": .string(issuer), "sub": "user-1", "aud": .string(resource), "exp": .number("\(now + 3600)"),
            "iat": .number("\(now)"), "jti": "token-1", "client_id": "client", "scope": "read write",
        ].reduce(into: JSONObject()) { $0[$1.key] = $1.value }
        for (name, value) in changes { claims[name] = value }
        return .object(claims)
    }

    /// A token of the first issuer.
    package static func token(
        _ changes: [String: JSONValue?] = [:], type: JSONValue? = "at+jwt", key: SigningKey = .p256,
        algorithm: String = "ES256", keyID: String? = "0", header: [String: JSONValue] = [:]
    ) throws -> String {
        var header = header
        if let type { header["typ"] = type }
        return try key.token(claims(changes), algorithm: algorithm, keyID: keyID, header: header)
    }

    /// A proof of a key for a request (RFC 9449, section 4.2), changed.
    package static func proof(
        of token: String, _ changes: [String: JSONValue?] = [:], key: SigningKey = .p256, type: JSONValue = "dpop+jwt",
        jwk: JSONValue? = nil
    ) throws -> String {
        let hash = base64URL(Data(SHA256.hash(data: Data(token.utf8))))
        var claims: JSONObject = [
            "jti": "proof-1", "htm": "GET", "htu": "https://api.acme.example/accounts", "iat": .number("\(now)"),
            "ath": .string(hash),
        ].reduce(into: JSONObject()) { $0[$1.key] = $1.value }
        for (name, value) in changes { claims[name] = value }
        return try key.token(
            .object(claims), algorithm: "ES256", header: ["typ": type, "jwk": jwk ?? key.jwk()])
    }

    /// The claim that binds a token to a key (RFC 9449, section 6.1), by other means than the code under test.
    package static func confirmation(of key: SigningKey = .p256) throws -> JSONValue {
        let jwk = try key.jwk()
        let (x, y) = (jwk["x"]?.string ?? "", jwk["y"]?.string ?? "")
        let canonical = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
        return ["jkt": .string(base64URL(Data(SHA256.hash(data: Data(canonical.utf8)))))]
    }

    // MARK: - Requests

    package static func request(
        _ path: String = "/accounts", method: HTTPRequest.Method = .get, _ fields: [(name: String, value: String)]
    ) -> HTTPRequest {
        var request = HTTPRequest(method: method, scheme: "https", authority: "api.acme.example", path: path)
        for (name, value) in fields {
            if let name = HTTPField.Name(name) { request.headerFields.append(HTTPField(name: name, value: value)) }
        }
        return request
    }

    package static func bearing(_ token: String, path: String = "/accounts") -> HTTPRequest {
        request(path, [("Authorization", "Bearer \(token)")])
    }

    package static func bearing(_ token: String, proof: String?, path: String = "/accounts") -> HTTPRequest {
        request(path, [("Authorization", "DPoP \(token)")] + (proof.map { [("DPoP", $0)] } ?? []))
    }

    // MARK: - Expectations

    /// Expects that a request is allowed.
    @discardableResult
    package func expectAllowed(
        _ request: HTTPRequest, requiring scopes: [String] = [], certificate: [UInt8]? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> Caller? {
        switch await server.decide(request, requiring: scopes, clientCertificate: certificate) {
        case .allowed(let caller): return caller
        case .refused(let refusal):
            Issue.record("refused: \(refusal.reason)", sourceLocation: sourceLocation)
            return nil
        }
    }

    /// Expects a refusal with a status and an error code, and that a log with its reason has no secret.
    @discardableResult
    package func expectRefused(
        _ request: HTTPRequest, _ status: Int, _ code: String?, requiring scopes: [String] = [],
        certificate: [UInt8]? = nil, _ note: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async -> AccessRefusal? {
        switch await server.decide(request, requiring: scopes, clientCertificate: certificate) {
        case .allowed:
            Issue.record("allowed; \(note)", sourceLocation: sourceLocation)
            return nil
        case .refused(let refusal):
            #expect(
                refusal.response.status.code == status, "\(refusal.reason); \(note)", sourceLocation: sourceLocation)
            #expect(refusal.code == code, "\(refusal.reason); \(note)", sourceLocation: sourceLocation)
            for field in request.headerFields[values: .authorization] {
                guard let token = field.split(separator: " ").last, token.utf8.count >= 20 else { continue }
                #expect(!refusal.reason.contains(token), "\(note)", sourceLocation: sourceLocation)
            }
            return refusal
        }
    }
}

extension AccessRefusal {
    /// The error code of the challenge.
    package var code: String? { parameter("error") }

    /// A parameter of the first challenge, read without the code under test.
    package func parameter(_ name: String) -> String? {
        guard let field = response.headerFields[values: .wwwAuthenticate].first,
            let match = try? Regex("[ ,]\(name)=\"([^\"]*)\"").firstMatch(in: field)
        else { return nil }
        return match.output[1].substring.map(String.init)
    }
}
