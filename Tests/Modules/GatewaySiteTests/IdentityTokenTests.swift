import CarnetFoundation
import CarnetGateway
import CarnetProtocol
import CarnetSandbox
import CarnetTesting
import CarnetWeb
import Crypto
import Foundation
import HTTPTypes
import Testing

@Suite("The signed identity of a gateway")
struct IdentityTokenTests {
    private static let file = Stand.file + "identity_token: { header: X-Auth-Assertion, lifetime: 60 }\n"

    /// Validates a token with nothing but the published key set, as RFC 7515, section 5.2 has it.
    private func claims(of token: String, by stand: Stand) async throws -> (claims: [String: Any], keyID: String) {
        let request = HTTPRequest(method: .get, scheme: "https", authority: "apps.example", path: "/carnet/keys")
        let set = await stand.site.respond(to: request, from: nil)
        let document = try JSONSerialization.jsonObject(with: Data(set.body.utf8)) as? [String: [[String: String]]]
        let parts = token.split(separator: ".").map(String.init)
        func decoded(_ text: String) throws -> Data {
            let standard = text.replacing("-", with: "+").replacing("_", with: "/")
            return try #require(Data(base64Encoded: standard + String(repeating: "=", count: (4 - text.count % 4) % 4)))
        }
        let header = try #require(try JSONSerialization.jsonObject(with: decoded(parts[0])) as? [String: String])
        #expect(header["alg"] == "ES256")
        let keyID = try #require(header["kid"])
        let key = try #require(document?["keys"]?.first { $0["kid"] == keyID })
        #expect(key["d"] == nil, "the private part is not published")
        let point = try decoded(try #require(key["x"])) + decoded(try #require(key["y"]))
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: decoded(parts[2]))
        let publicKey = try P256.Signing.PublicKey(rawRepresentation: point)
        #expect(publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
        return (try #require(try JSONSerialization.jsonObject(with: decoded(parts[1])) as? [String: Any]), keyID)
    }

    @Test("The token names the person, is for one host, and lives shortly")
    func token() async throws {
        let key = try ClientKey.p256([UInt8](repeating: 1, count: 32), source: "test")
        let stand = try await Stand(Self.file, users: [Stand.groupMember], identityKeys: [key])
        var person = Person(stand)
        let (reply, _) = try await person.open("https://wiki.apps.example/")
        let first = try await claims(of: try #require(reply["X-Auth-Assertion"]), by: stand).claims
        #expect(
            first["iss"] as? String == "https://apps.example")
        #expect(first["aud"] as? String == "https://wiki.apps.example")
        #expect(first["sub"] as? String == "acme:ada" && first["provider"] as? String == "acme")
        #expect(first["email"] as? String == "ada@apps.example" && first["groups"] as? [String] == ["ops"])
        let issued = try #require(first["iat"] as? Int)
        #expect(issued == 1_800_000_000 && first["exp"] as? Int == issued + 60)
        let own = try await person.get("https://apps.example/")
        #expect(
            try await claims(of: try #require(own["X-Auth-Assertion"]), by: stand).claims["aud"] as? String
                == "https://apps.example")
        // A token that is used again has at least half of its lifetime left.
        stand.clock.advance(by: .seconds(31))
        let later = try await person.get("https://wiki.apps.example/")
        #expect(
            try await claims(of: try #require(later["X-Auth-Assertion"]), by: stand).claims["iat"] as? Int == issued
                + 31)
    }

    @Test("A new key signs, the old one stays published, and nobody has to sign in again")
    func rotation() async throws {
        let old = try ClientKey.p256([UInt8](repeating: 1, count: 32), source: "test")
        let new = try ClientKey.p256([UInt8](repeating: 2, count: 32), source: "test")
        let stand = try await Stand(Self.file, identityKeys: [old])
        var person = Person(stand)
        let (before, _) = try await person.open("https://apps.example/")
        stand.site.replace(try stand.version(Self.file, identityKeys: [new, old]))
        let after = try await person.get("https://apps.example/")
        let tokens = try [before, after].map { try #require($0["X-Auth-Assertion"]) }
        let ids = [try await claims(of: tokens[0], by: stand).keyID, try await claims(of: tokens[1], by: stand).keyID]
        #expect(ids == [old.id, new.id])
    }

    @Test("Nobody has no token, and a client's copy is overwritten")
    func nobody() async throws {
        let key = try ClientKey.p256([UInt8](repeating: 1, count: 32), source: "test")
        let stand = try await Stand(Self.file, identityKeys: [key])
        let reply = try await stand.ask(
            "https://apps.example/public/a", [.accept: "text/html"], adding: [("X-Auth-Assertion", "forged")])
        #expect(reply.status == 200 && reply["X-Auth-Assertion"] == "")
    }
}
