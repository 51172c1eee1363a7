import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
package import CarnetResourceServer
import Foundation
package import HTTPTypes

/// Deciding about one request with an access token, with keys that are already there, against the bare signature check.
package struct RequestDecision: Sendable {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    package let server: ResourceServer
    package let request: HTTPRequest
    private let signature: SignatureCheck

    /// - Parameters:
    ///   - resources: How many resources the map has.
    ///   - keepsStates: Whether the token is known after the first decision.
    package init(
        _ algorithm: IDTokenValidation.Algorithm, resources: Int = 10, keepsStates: Bool = false
    ) async throws {
        let (key, jwk) = try IDTokenValidation.key(algorithm)
        let seconds = Int(Self.now.timeIntervalSince1970)
        let claims: JSONValue = [
            "iss": "https://id.acme.example", "sub": "248289761001", "aud": "https://api.acme.example",
            "client_id": "client", "iat": .number("\(seconds)"), "exp": .number("\(seconds + 3600)"),
            "jti": "e1j3V_bKic8-LAEB", "scope": "accounts transfer", "groups": ["audit", "board"],
        ]
        let header = #"{"alg":"\#(algorithm.rawValue)","kid":"1","typ":"at+jwt"}"#
        let message = Array(
            (Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.jsonText().utf8))).utf8)
        signature = try SignatureCheck(message, key)
        let descriptor = DescriptorDocument(
            SourceFile(
                path: "acme.yaml",
                text: """
                    carnet: 1
                    id: acme
                    name: Acme
                    issuer: https://id.acme.example
                    endpoints:
                      authorization: https://id.acme.example/authorize
                      token: https://id.acme.example/token
                      jwks: https://id.acme.example/jwks

                    """)
        ).descriptor
        guard let descriptor else { throw BenchmarkFailure(reason: "the benchmark's descriptor is broken") }
        let client = try OAuthClient(
            descriptor, registration: ClientRegistration(clientID: "api", redirectURI: ""),
            transport: KeySetTransport(document: (["keys": [jwk]] as JSONValue).jsonText()),
            clock: FixedClock(now: Self.now))
        let map =
            "resources:\n"
            + (0..<resources).map {
                "  - { title: R\($0), url: \"/group\($0)/{id}/item\($0)\", scope: accounts }\n"
            }.joined()
        server = try ResourceServer(
            "https://api.acme.example", accepting: [TokenIssuer(client)], map: SourceFile(path: "map.yaml", text: map),
            stateLifetime: keepsStates ? .seconds(60) : .zero)
        let token = String(decoding: message, as: UTF8.self) + "." + Base64URL.encode(signature.signature)
        request = HTTPRequest(
            method: .get, scheme: "https", authority: "api.acme.example",
            path: "/group\(resources - 1)/5/item\(resources - 1)?page=1",
            headerFields: [.authorization: "Bearer \(token)"])
        try await decide()
    }

    /// - Throws: `BenchmarkFailure` if the request is refused.
    package func decide() async throws {
        guard case .allowed = await server.decide(request) else {
            throw BenchmarkFailure(reason: "the request is refused")
        }
    }

    /// - Throws: `BenchmarkFailure` if the signature is wrong.
    package func checkSignature() throws { try signature.check() }
}

private struct KeySetTransport: Transport {
    let document: String

    func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        IncomingResponse(
            head: HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]),
            body: Array(document.utf8))
    }
}

private struct FixedClock: WallClock {
    let now: Date

    func sleep(for duration: Duration) async throws {}
}
