import CarnetDescriptors
import CarnetFoundation
import CarnetSandbox
import Crypto
import Foundation
import Testing

@Suite("ID tokens")
struct IDTokenTests {
    @Test(
        "are signed with the first algorithm of the descriptor, and the key set has the key",
        arguments: ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
    )
    func algorithms(name: String) async throws {
        let client = try TestClient(acme + "id_token: { algorithms: [\(name), RS256] }\n")
        let token = try await client.idToken()
        #expect(token.header["alg"]?.string == name)
        #expect(try token.isSigned(by: await client.keySet()))
    }

    @Test("are signed with RS256 by default")
    func defaultAlgorithm() async throws {
        let client = try TestClient()
        let token = try await client.idToken()
        #expect(token.header["alg"] == "RS256")
        #expect(try token.isSigned(by: await client.keySet()))
    }

    @Test("say who, for whom, when, and to which request")
    func claims() async throws {
        let client = try TestClient()
        let response = try await client.exchange().json
        let token = try JWT(#require(response["id_token"]?.string))
        #expect(token.claims["iss"] == "https://id.acme.example")
        #expect(token.claims["aud"]?.string == client.registration.clientID)
        #expect(token.claims["nonce"] == "nonce+1")
        #expect(token.claims["iat"] == 1_790_000_000)
        #expect(token.claims["auth_time"] == 1_790_000_000)
        #expect(token.claims["exp"] == 1_790_003_600)
        #expect(token.claims["name"] == "Ada Example")
        #expect(token.claims["email_verified"] == true)
        let digest = SHA256.hash(data: Data(try #require(response["access_token"]?.string).utf8))
        #expect(token.claims["at_hash"]?.string == base64URL(digest.prefix(16)))
        let userinfo = try await client.get(
            client.endpoint(.userinfo), bearer: #require(response["access_token"]?.string))
        #expect(token.claims["sub"]?.string?.isEmpty == false)
        #expect(token.claims["sub"] == userinfo.json["sub"])
    }

    @Test("hold only the claims of the granted scopes")
    func scopes() async throws {
        let client = try TestClient()
        let code = try await client.callback(["scope": "openid email"])["code"]
        let token = try JWT(#require(try await client.exchange(code: code).json["id_token"]?.string))
        #expect(token.claims["email"] == "ada@example.com")
        #expect(token.claims["name"] == nil)
    }

    @Test("come only with the scope openid")
    func withoutOpenID() async throws {
        let client = try TestClient()
        let code = try await client.callback(["scope": "email"])["code"]
        #expect(try await client.exchange(code: code).json["id_token"] == nil)
    }

    @Test("come with a refresh too, for the same person, without the nonce")
    func refreshed() async throws {
        let client = try TestClient()
        let first = try await client.exchange().json
        client.clock.advance(by: 10)
        let second = try await client.refresh(#require(first["refresh_token"]?.string)).json
        let old = try JWT(#require(first["id_token"]?.string))
        let new = try JWT(#require(second["id_token"]?.string))
        #expect(new.claims["sub"] == old.claims["sub"])
        #expect(new.claims["auth_time"] == old.claims["auth_time"])
        #expect(new.claims["iat"] == 1_790_000_010)
        #expect(new.claims["nonce"] == nil)
    }

    @Test("have another key after a rotation, and the key set contains only the new one")
    func rotation() async throws {
        let client = try TestClient()
        let old = try await client.idToken()
        try await client.sandbox.rotateKeys()
        let new = try await client.idToken()
        let keySet = try await client.keySet()
        #expect(old.header["kid"] != new.header["kid"])
        #expect(keySet["keys"]?.array?.count == 1)
        #expect(try new.isSigned(by: keySet))
    }

    @Test("hold the profile where the descriptor takes it from there")
    func profileSource() async throws {
        let client = try TestClient(
            acme + "profile: { from: id_token, claims: { subject: /oid, name: /who/display } }\n")
        let token = try await client.idToken()
        #expect(token.claims["oid"] == token.claims["sub"])
        #expect(token.claims["who"]?["display"] == "Ada Example")
    }
}

extension TestClient {
    func idToken() async throws -> JWT {
        try JWT(#require(try await exchange().json["id_token"]?.string))
    }

    func keySet() async throws -> JSONValue {
        try await get(endpoint(.jwks)).json
    }
}
