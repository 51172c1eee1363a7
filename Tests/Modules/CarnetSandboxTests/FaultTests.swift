import CarnetDescriptors
import CarnetFoundation
import CarnetSandbox
import Foundation
import HTTPTypes
import Testing

/// Each fault changes the one thing that it names; the tests of the other suites are the control.
@Suite("Faults")
struct FaultTests {
    private func makeClient(_ fault: SandboxFault) throws -> TestClient {
        try TestClient(options: SandboxOptions(faults: [fault]))
    }

    @Test("wrong-state")
    func wrongState() async throws {
        let callback = try await makeClient(.wrongState).callback()
        #expect(callback["code"] != nil)
        #expect(callback["state"] != nil)
        #expect(callback["state"] != "state é+&=%")
    }

    @Test("missing-iss: the metadata still promises it")
    func missingIssuer() async throws {
        let client = try makeClient(.missingIssuer)
        let metadata = try await client.get("https://id.acme.example/.well-known/openid-configuration").json
        #expect(metadata["authorization_response_iss_parameter_supported"] == true)
        #expect(try await client.callback()["iss"] == nil)
        #expect(try await client.callback()["code"] != nil)
    }

    @Test("wrong-iss")
    func wrongIssuer() async throws {
        #expect(try await makeClient(.wrongIssuer).callback()["iss"] == "https://attacker.example")
    }

    @Test("denied")
    func denied() async throws {
        let callback = try await makeClient(.denied).callback()
        #expect(callback["error"] == "access_denied")
        #expect(callback["state"] == "state é+&=%")
    }

    @Test("wrong-nonce")
    func wrongNonce() async throws {
        let nonce = try await makeClient(.wrongNonce).idToken().claims["nonce"]
        #expect(nonce != nil)
        #expect(nonce != "nonce+1")
    }

    @Test("bad-signature")
    func badSignature() async throws {
        let client = try makeClient(.badSignature)
        let token = try await client.idToken()
        let keySet = try await client.keySet()
        #expect(try !token.isSigned(by: keySet))
        #expect(token.claims["nonce"] == "nonce+1")
    }

    @Test("rotated-key: a key set from before does not know it, one from after does")
    func rotatedKey() async throws {
        let client = try makeClient(.rotatedKey)
        let before = try await client.keySet()
        let token = try await client.idToken()
        let after = try await client.keySet()
        #expect(before["keys"]?.array?.contains { $0["kid"] == token.header["kid"] } == false)
        #expect(try token.isSigned(by: after))
    }

    @Test("wrong-audience")
    func wrongAudience() async throws {
        #expect(try await makeClient(.wrongAudience).idToken().claims["aud"] == "another-client")
    }

    @Test("expired-id-token")
    func expiredIDToken() async throws {
        #expect(try await makeClient(.expiredIDToken).idToken().claims["exp"] == 1_789_996_400)
    }

    @Test("missing-id-token")
    func missingIDToken() async throws {
        let tokens = try await makeClient(.missingIDToken).exchange().json
        #expect(tokens["access_token"] != nil)
        #expect(tokens["id_token"] == nil)
    }

    @Test("token-html")
    func tokenHTML() async throws {
        let response = try await makeClient(.tokenHTML).exchange()
        #expect(response.status == 200)
        #expect(response.head.headerFields[.contentType]?.hasPrefix("text/html") == true)
    }

    @Test("token-500")
    func token500() async throws {
        #expect(try await makeClient(.token500).exchange().status == 500)
    }

    @Test("busy: the token endpoint takes one request in five seconds")
    func busy() async throws {
        let client = try makeClient(.busy)
        #expect(try await client.exchange().status == 200)
        let refusal = try await client.exchange()
        #expect(refusal.status == 429)
        #expect(refusal.head.headerFields[.retryAfter] == "5")
        client.clock.advance(by: 2)
        #expect(try await client.exchange().head.headerFields[.retryAfter] == "3")
        client.clock.advance(by: 3)
        #expect(try await client.exchange().status == 200)
        await client.sandbox.setFaults([])
        #expect(try await client.exchange().status == 200)
    }

    @Test("token-down: only the token endpoint is unreachable")
    func tokenDown() async throws {
        let client = try makeClient(.tokenDown)
        func isReachable(_ name: EndpointName) async throws -> Bool {
            let url = try WebURL(await client.endpoint(name))
            return await client.sandbox.isReachable(
                HTTPRequest(method: .post, scheme: url.scheme, authority: url.authority, path: url.target))
        }
        #expect(try await !isReachable(.token))
        #expect(try await isReachable(.authorization))
        await client.sandbox.setFaults([])
        #expect(try await isReachable(.token))
    }

    @Test("userinfo-wrong-subject")
    func wrongSubject() async throws {
        let client = try makeClient(.userinfoWrongSubject)
        let tokens = try await client.exchange().json
        let profile = try await client.get(
            client.endpoint(.userinfo), bearer: #require(tokens["access_token"]?.string)
        ).json
        let idToken = try JWT(#require(tokens["id_token"]?.string))
        #expect(profile["sub"] != nil)
        #expect(profile["sub"] != idToken.claims["sub"])
    }

    @Test("expired-access-token: the first is refused, a refreshed one works")
    func expiredAccessToken() async throws {
        let client = try makeClient(.expiredAccessToken)
        let first = try await client.exchange().json
        #expect(first["expires_in"] == 3600)
        let userinfo = try await client.endpoint(.userinfo)
        let refused = try await client.get(userinfo, bearer: #require(first["access_token"]?.string))
        #expect(refused.status == 401)
        #expect(refused.error == "invalid_token")
        let second = try await client.refresh(#require(first["refresh_token"]?.string)).json
        #expect(try await client.get(userinfo, bearer: #require(second["access_token"]?.string)).status == 200)
    }

    @Test("refresh-revoked")
    func refreshRevoked() async throws {
        let client = try makeClient(.refreshRevoked)
        let token = try #require(try await client.exchange().json["refresh_token"]?.string)
        #expect(try await client.refresh(token).error == "invalid_grant")
    }

    @Test("unsigned-id-token")
    func unsignedIDToken() async throws {
        let tokens = try await makeClient(.unsignedIDToken).exchange().json
        let token = try #require(tokens["id_token"]?.string)
        #expect(token.hasSuffix("."))
        #expect(try JWT(token).header["alg"] == "none")
    }

    @Test("wrong-id-token-issuer: the callback's is right")
    func wrongIDTokenIssuer() async throws {
        let client = try makeClient(.wrongIDTokenIssuer)
        #expect(try await client.idToken().claims["iss"] == "https://attacker.example")
        #expect(try await client.callback()["iss"] != "https://attacker.example")
    }

    @Test("metadata-500, keys-500")
    func metadataAndKeys() async throws {
        let metadata = try await makeClient(.metadata500)
            .get("https://id.acme.example/.well-known/openid-configuration")
        #expect(metadata.status == 500)
        let client = try makeClient(.keys500)
        #expect(try await client.get(client.endpoint(.jwks)).status == 500)
        #expect(try await client.exchange().status == 200)
    }

    @Test("userinfo-500, revocation-500")
    func userinfoAndRevocation() async throws {
        let client = try makeClient(.userinfo500)
        let token = try #require(try await client.exchange().json["access_token"]?.string)
        #expect(try await client.get(client.endpoint(.userinfo), bearer: token).status == 500)
        await client.sandbox.setFaults([.revocation500])
        #expect(try await client.get(client.endpoint(.userinfo), bearer: token).status == 200)
        #expect(try await client.get(client.endpoint(.revocation)).status == 500)
    }

    @Test("slow: every response waits as long as the options say")
    func slow() async throws {
        let waits = Lock<[Duration]>([])
        let sandbox = Sandbox(
            providers: [try makeProvider(acme)],
            clients: [:],
            options: SandboxOptions(faults: [.slow], slowness: .seconds(7)),
            sleep: { duration in waits.withLock { $0.append(duration) } }
        )
        let request = HTTPRequest(method: .get, scheme: "https", authority: "id.acme.example", path: "/")
        _ = await sandbox.respond(to: request, body: [])
        await sandbox.setFaults([])
        _ = await sandbox.respond(to: request, body: [])
        let waited = waits.withLock { $0 }
        #expect(waited == [.seconds(7)])
    }

    @Test("are named as on the command line")
    func names() {
        #expect(SandboxFault(rawValue: "wrong-state") == .wrongState)
        #expect(SandboxFault.allCases.allSatisfy { !$0.summary.isEmpty })
    }
}
