import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Crypto
import Foundation
import HTTPTypes
import Testing

private let bound = Fixture.openID + "client: { dpop_bound_access_tokens: true }\n"

/// A proof, taken apart by other means than the code under test.
private struct Proof {
    let header: JSONValue
    let claims: JSONValue
    let isSigned: Bool

    init(_ request: PreparedRequest) throws {
        let text = try #require(request.header("DPoP"))
        let parts = text.split(separator: ".").map(String.init)
        func data(_ part: String) -> Data? {
            let standard = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            return Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.count % 4) % 4))
        }
        header = try JSONValue(parsing: Array(try #require(data(parts[0]))))
        claims = try JSONValue(parsing: Array(try #require(data(parts[1]))))
        let x = try #require(header["jwk"]?["x"]?.string.flatMap(data))
        let y = try #require(header["jwk"]?["y"]?.string.flatMap(data))
        let key = try P256.Signing.PublicKey(rawRepresentation: x + y)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: try #require(data(parts[2])))
        isSigned = key.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8))
    }
}

@Suite("DPoP")
struct DPoPTests {
    private let key: DPoPKey

    init() throws {
        key = try DPoPKey(random: SeededRandomSource(seed: 7))
    }

    private func proven(
        _ request: PreparedRequest, token: String? = nil, nonce: String? = nil, seed: UInt64 = 1
    ) throws -> PreparedRequest {
        try request.proving(
            key, accessToken: token.map { Secret($0) }, nonce: nonce, random: SeededRandomSource(seed: seed),
            now: Attempt.now)
    }

    // DPOP-01.
    @Test("Proof names the request and the public key")
    func proofNamesTheRequestAndThePublicKey() throws {
        let proof = try Proof(try proven(try Attempt().exchange()))
        #expect(proof.isSigned)
        #expect(proof.header["typ"]?.string == "dpop+jwt" && proof.header["alg"]?.string == "ES256")
        #expect(proof.header["jwk"] == key.publicJWK)
        #expect(Set(proof.header["jwk"]?.object?.members.map(\.name) ?? []) == ["kty", "crv", "x", "y"])
        #expect(proof.claims["htm"]?.string == "POST")
        #expect(proof.claims["htu"]?.string == "https://id.acme.example/token")
        #expect(proof.claims["iat"]?.double == Attempt.now.timeIntervalSince1970)
        #expect(proof.claims["jti"]?.string?.count == 43)
        #expect(proof.claims["ath"] == nil && proof.claims["nonce"] == nil)
    }

    @Test("Every proof is new")
    func everyProofIsNew() throws {
        let request = try Attempt().exchange()
        let first = try Proof(try proven(request)), second = try Proof(try proven(request, seed: 2))
        #expect(first.claims["jti"] != second.claims["jti"])
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
        #expect(try Proof(try proven(request)).claims["htu"]?.string == target)
    }

    // DPOP-03, with the hash that RFC 9449, section 7.1 prints.
    @Test("Proof at a resource has the hash of the token")
    func proofAtAResourceHasTheHashOfTheToken() throws {
        let token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
        let proof = try Proof(try proven(try Attempt().exchange(), token: token, nonce: "n"))
        #expect(proof.claims["ath"]?.string == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
        #expect(proof.claims["nonce"]?.string == "n")
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

    // DPOP-07.
    @Test("Bound token has a scheme of its own")
    func boundTokenHasASchemeOfItsOwn() throws {
        let tokens = TokenSet(accessToken: Secret("t"), tokenType: "DPoP", scopes: [], issuedAt: Attempt.now)
        #expect(try Profile.request(tokens, at: try Fixture.provider()).header("Authorization") == "DPoP t")
    }

    @Test("Bound token goes nowhere else", arguments: ["{ header: X-Token }", "{ query: token, because: their docs }"])
    func boundTokenGoesNowhereElse(_ placement: String) throws {
        let tokens = TokenSet(accessToken: Secret("t"), tokenType: "DPoP", scopes: [], issuedAt: Attempt.now)
        let provider = try Fixture.provider(Fixture.openID + "api: { token_in: \(placement) }\n")
        let error = expectError(.profile, .unsupported) { try Profile.request(tokens, at: provider) }
        #expect(error?.descriptorKey == "api.token_in")
    }

    // DPOP-08.
    @Test("Authorization request names the key")
    func authorizationRequestNamesTheKey() throws {
        let attempt = try Attempt(bound)
        let sealed = try #require(attempt.pending.dpopKey)
        #expect(try attempt.sent["dpop_jkt"] == DPoPKey(sealed: sealed).thumbprint)
        #expect(try Attempt().sent["dpop_jkt"] == nil)
        #expect(try Attempt().pending.dpopKey == nil)
    }

    // DPOP-09.
    @Test(
        "Only a usable nonce is taken",
        arguments: [
            ("n-1", "n-1"), ("", nil), ("a b", nil), ("\u{E9}", nil), (String(repeating: "n", count: 1025), nil),
        ])
    func onlyAUsableNonceIsTaken(_ text: String, _ nonce: String?) throws {
        let name = try #require(HTTPField.Name("DPoP-Nonce"))
        #expect(IncomingResponse.empty(status: 200, header: (name, text)).dpopNonce == nonce)
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
        let sealed = key.sealed.reveal()
        #expect(!"\(key)".contains(sealed) && !String(reflecting: key).contains(sealed))
        var text = ""
        dump(key, to: &text)
        #expect(!text.contains(sealed))
        #expect(try DPoPKey(sealed: key.sealed).thumbprint == key.thumbprint)
        #expect(try proven(try Attempt().exchange()).redacted.headers.last?.value == "[redacted]")
        #expect(throws: OAuthError.self) { try DPoPKey(sealed: Secret("short")) }
    }
}
