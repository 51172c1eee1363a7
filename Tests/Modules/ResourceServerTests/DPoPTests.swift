import CarnetFoundation
import CarnetProtocol
import CarnetResourceServer
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Tokens that are bound to a key")
struct DPoPTests {
    private func bound(_ key: SigningKey = .p256) throws -> String {
        try Door.token(["cnf": try Door.confirmation(of: key)])
    }

    // RFC 9449, section 7.1, figures 12 and 13.
    @Test("The proof of RFC 9449 is valid for its request")
    func vector() throws {
        let token = Secret("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU")
        let text = """
            eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXp\
            Da0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydi\
            I6IlAtMjU2In19.eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFt\
            cGxlLm9yZy9wcm90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9\
            hTnk1OUlpS0NBcWtzbVFFbyJ9.2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYo\
            MxhAJpLjA
            """
        func validate(_ method: String, _ target: String, _ seconds: TimeInterval = 1_562_262_618) throws -> DPoPProof {
            try DPoPProof(
                validating: Secret(text), method: method, target: target, accessToken: token,
                now: Date(timeIntervalSince1970: seconds))
        }
        let proof = try validate("GET", "https://resource.example.org/protectedresource")
        // Section 6.1, figure 9.
        #expect(proof.thumbprint == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        #expect(proof.id == "e1j3V_bKic8-LAEB" && proof.nonce == nil)
        expectError(.accessToken, .wrongTokenUse) {
            try validate("POST", "https://resource.example.org/protectedresource")
        }
        expectError(.accessToken, .wrongTokenUse) { try validate("GET", "https://resource.example.org/other") }
        expectError(.accessToken, .expiredToken) {
            try validate("GET", "https://resource.example.org/protectedresource", 1_562_262_679)
        }
    }

    @Test("A token with a proof of its key is accepted, with a query in the request too", arguments: ["", "?page=2"])
    func accepted(query: String) async throws {
        let token = try bound()
        try await Door().expectAllowed(
            Door.bearing(token, proof: try Door.proof(of: token), path: "/accounts" + query))
    }

    // RFC 9449, section 4.3, rule 9: the URLs are compared after normalization.
    @Test(
        "The URL of a proof may have a default port, upper case and a query",
        arguments: ["https://api.acme.example:443/accounts", "https://API.acme.example/accounts?x=1#y"])
    func spellings(url: String) async throws {
        let token = try bound()
        try await Door().expectAllowed(
            Door.bearing(token, proof: try Door.proof(of: token, ["htu": .string(url)])))
    }

    // RFC 9449, section 9.
    @Test("A proof needs the server's nonce if the server gives one")
    func nonces() async throws {
        let door = try Door(nonces: true)
        let token = try bound()
        let refusal = await door.expectRefused(
            Door.bearing(token, proof: try Door.proof(of: token)), 401, "use_dpop_nonce")
        let name = try #require(HTTPField.Name("DPoP-Nonce"))
        let nonce = try #require(refusal?.response.headerFields[name])
        #expect(refusal?.response.headerFields[.wwwAuthenticate]?.hasPrefix("DPoP ") == true)
        func proof(_ id: String, _ nonce: String) throws -> HTTPRequest {
            let time = Int(door.clock.now.timeIntervalSince1970)
            let changes: [String: JSONValue?] = [
                "nonce": .string(nonce), "jti": .string(id), "iat": .number("\(time)"),
            ]
            return Door.bearing(token, proof: try Door.proof(of: token, changes))
        }
        await door.expectAllowed(try proof("1", nonce))
        await door.expectRefused(try proof("2", nonce + "x"), 401, "use_dpop_nonce")
        door.clock.advance(by: .seconds(300))
        await door.expectAllowed(try proof("3", nonce))
        door.clock.advance(by: .seconds(300))
        await door.expectRefused(try proof("4", nonce), 401, "use_dpop_nonce")
        // Another process with the same secret gives the same nonces.
        let again = try await Door(nonces: true).expectRefused(
            Door.bearing(token, proof: try Door.proof(of: token)), 401, "use_dpop_nonce")
        #expect(again?.response.headerFields[name] == nonce)
    }

    // RFC 8705, section 3.1: the example's certificate is not in the RFC; the thumbprint is the hash of its DER form.
    @Test("A token that is bound to a certificate needs this certificate")
    func certificate() async throws {
        let certificate = Array("not really DER, which nobody parses".utf8)
        // printf '%s' 'not really DER, which nobody parses' | openssl dgst -sha256 -binary | basenc --base64url
        let token = try Door.token(["cnf": ["x5t#S256": "SHqVKYhbPBaflOoKPeemprP0d_i6UfY-ravXYv8eALY"]])
        let door = try Door()
        await door.expectAllowed(Door.bearing(token), certificate: certificate)
        await door.expectRefused(Door.bearing(token), 401, "invalid_token")
        await door.expectRefused(Door.bearing(token), 401, "invalid_token", certificate: certificate + [0])
    }
}
