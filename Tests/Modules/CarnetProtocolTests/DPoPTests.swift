import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

private let bound = Fixture.openID + "client: { dpop_bound_access_tokens: true }\n"

/// The claims of a request's proof, read by other means than the code under test.
private func claims(_ request: PreparedRequest) throws -> JSONValue {
    let part = try #require(request.header("DPoP")).components(separatedBy: ".")[1]
    let standard = part.replacing("-", with: "+").replacing("_", with: "/")
    let data = Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.count % 4) % 4))
    return try JSONValue(parsing: Array(try #require(data)))
}

@Suite("DPoP")
struct DPoPTests {
    private let key: DPoPKey

    init() throws {
        key = try DPoPKey(random: SeededRandomSource(seed: 7))
    }

    private func proven(
        _ request: PreparedRequest, token: String? = nil
    ) throws -> PreparedRequest {
        try request.proving(
            key, accessToken: token.map { Secret($0) }, nonce: nil, random: SeededRandomSource(seed: 1),
            now: Attempt.now)
    }

    // DPOP-02.
    @Test(
        "Target is the URL without its query",
        arguments: [
            ("https://bank.example/a?b=c", "https://bank.example/a"),
            ("https://BANK.example:443/", "https://bank.example/"),
            ("https://bank.example:8443/a%2Fb", "https://bank.example:8443/a%2Fb"),
            ("https://bank.example", "https://bank.example/"),
        ])
    func targetIsTheURLWithoutItsQuery(_ url: String, _ target: String) throws {
        let provider = try Fixture.provider(Fixture.openID + "api: { hosts: [bank.example, 'bank.example:8443'] }\n")
        let tokens = TokenSet(accessToken: Secret("t"), tokenType: "DPoP", scopes: [], issuedAt: Attempt.now)
        let request = try ResourceRequest.make(try WebURL(url), tokens: tokens, at: provider)
        #expect(try claims(try proven(request))["htu"]?.string == target)
    }

    // DPOP-03, with the hash that RFC 9449, section 7.1 prints.
    @Test("Proof at a resource has the hash of the token")
    func proofAtAResourceHasTheHashOfTheToken() throws {
        let token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
        let claims = try claims(try proven(try Attempt().exchange(), token: token))
        #expect(claims["ath"]?.string == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
    }

    // DPOP-06.
    @Test("Bound token is required")
    func boundTokenIsDemanded() throws {
        let attempt = try Attempt(bound)
        let request = try proven(try attempt.exchange())
        func validate(_ type: String) throws -> TokenResponse {
            try TokenResponse(
                validating: .json(#"{"access_token":"a","token_type":"\#(type)"}"#), to: request, from: attempt.provider
            )
        }
        #expect(try validate("dpop").tokenType == "dpop")
        let error = expectError(.tokenRequest, .unsupportedTokenType) { try validate("Bearer") }
        #expect(error?.descriptorKey == "client.dpop_bound_access_tokens")
    }

    @Test("Bound token goes nowhere else", arguments: ["{ header: X-Token }", "{ query: token, because: their docs }"])
    func boundTokenGoesNowhereElse(_ placement: String) throws {
        let tokens = TokenSet(accessToken: Secret("t"), tokenType: "DPoP", scopes: [], issuedAt: Attempt.now)
        let provider = try Fixture.provider(Fixture.openID + "api: { token_in: \(placement) }\n")
        let error = expectError(.profile, .unsupported) { try Profile.request(tokens, at: provider) }
        #expect(error?.descriptorKey == "api.token_in")
    }

    // DPOP-05.
    @Test("Nonce is required by either server", arguments: ["DPoP", "dPoP"])
    func nonceIsDemandedByEitherServer(_ scheme: String) throws {
        let name = try #require(HTTPField.Name("DPoP-Nonce"))
        var token = IncomingResponse.json(#"{"error":"use_dpop_nonce"}"#, status: 400)
        #expect(!token.demandsDPoPNonce)
        token.head.headerFields[name] = "n"
        #expect(token.demandsDPoPNonce)
        var resource = IncomingResponse.empty(
            status: 401, header: (.wwwAuthenticate, #"\#(scheme) error="use_dpop_nonce", error_description="x""#))
        #expect(!resource.demandsDPoPNonce)
        resource.head.headerFields[name] = "n"
        #expect(resource.demandsDPoPNonce)
        resource.head.headerFields[.wwwAuthenticate] = #"DPoP error="invalid_token""#
        #expect(!resource.demandsDPoPNonce)
    }

    // DPOP-10.
    @Test("Key is neither shown nor lost")
    func keyIsNeitherShownNorLost() throws {
        let encoded = key.encoded.reveal()
        #expect(!"\(key)".contains(encoded) && !String(reflecting: key).contains(encoded))
        var text = ""
        dump(key, to: &text)
        #expect(!text.contains(encoded))
        #expect(try DPoPKey(encoded: key.encoded).thumbprint == key.thumbprint)
        #expect(try proven(try Attempt().exchange()).redacted.headers.last?.value == "[redacted]")
        #expect(throws: OAuthError.self) { try DPoPKey(encoded: Secret("short")) }
    }
}
