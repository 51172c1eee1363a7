// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Crypto
import Foundation
import HTTPTypes
import Testing

@Suite("DPOP: tokens that are bound to a key", .searchedForSecrets)
struct DPoPAttackTests {
    static let bound: @Sendable (inout Script) -> Void = { script in
        script.token["token_type"] = "DPoP"
        script.refresh["token_type"] = "DPoP"
    }

    private static let registration: @Sendable (inout ClientRegistration) -> Void = { $0.dpopBoundAccessTokens = true }

    static let signIn = Flow.signIn.registered(registration).served(bound)
    static let refresh = Flow.refresh.registered(registration).served(bound)
    static let call = Flow.call.registered(registration).served(bound)

    private static let field = HTTPField.Name("DPoP")

    /// The proof of a request, once its signature is found to be of the key in it.
    private func proof(_ request: Scenario.Request?) throws -> (header: JSONValue, claims: JSONValue, key: JSONValue) {
        let field = try #require(Self.field)
        let proof = try #require(request?.headers[field])
        let parts = proof.split(separator: ".").map(String.init)
        let header = try JSONValue(parsing: try #require(Base64URL.decode(parts[0].utf8)))
        let claims = try JSONValue(parsing: try #require(Base64URL.decode(parts[1].utf8)))
        let key = try #require(header["jwk"])
        let coordinates = ["x", "y"].compactMap { key[$0]?.string.flatMap { Base64URL.decode($0.utf8) } }
        let point = coordinates.flatMap { $0 }
        let signature = try P256.Signing.ECDSASignature(
            rawRepresentation: try #require(Base64URL.decode(parts[2].utf8)))
        #expect(
            try P256.Signing.PublicKey(rawRepresentation: point).isValidSignature(
                signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
        return (header, claims, key)
    }

    @Test("DPOP-01: Proofs are whole")
    func DPOP_01_proofsAreWhole() async throws {
        try await accept(in: Self.call) { scenario, _ in
            var ids: Set<String> = []
            let requests = scenario.requests(to: "/token") + scenario.requests(to: "/resource")
            for request in requests {
                let (header, claims, key) = try proof(request)
                #expect(header["typ"] == "dpop+jwt")
                #expect(header["alg"] == "ES256")
                #expect(Set(key.object?.members.map(\.name) ?? []) == ["kty", "crv", "x", "y"])
                #expect(claims["htm"]?.string == request.method)
                #expect(claims["htu"]?.string == request.url)
                #expect(claims["iat"]?.integer == Int(request.time.timeIntervalSince1970))
                ids.insert(try #require(claims["jti"]?.string))
            }
            #expect(ids.count == requests.count)
            #expect(ids.allSatisfy { $0.utf8.count >= 16 })
        }
    }

    @Test("DPOP-02: Target is normalized")
    func DPOP_02_targetIsNormalized() async throws {
        try await accept(in: Self.signIn) {
            $0.metadata["token_endpoint"] = "https://ID.acme.example:443/token?tenant=blue"
            $0.elsewhere["https://ID.acme.example:443/token"] = $0.token
            $0.elsewhere["https://id.acme.example:443/token"] = $0.token
        } check: { scenario, _ in
            let proof = try proof(scenario.requests(to: "/token").first)
            #expect(proof.claims["htu"] == "https://id.acme.example/token")
        }
    }

    @Test("DPOP-03: Hash of the access token")
    func DPOP_03_hashOfTheAccessToken() async throws {
        try await accept(in: Self.call) { scenario, outcome in
            let token = try #require(try await outcome.session?.storedTokens().accessToken.reveal())
            let expected = base64URL(Data(SHA256.hash(data: Data(token.utf8))))
            #expect(try proof(scenario.requests(to: "/resource").first).claims["ath"]?.string == expected)
            #expect(try proof(scenario.requests(to: "/token").first).claims["ath"] == nil)
        }
    }

    private static func demand(_ nonce: String) -> ServerResponse {
        var reply = ServerResponse.error("use_dpop_nonce")
        reply.headers.append(("DPoP-Nonce", nonce))
        return reply
    }

    @Test("DPOP-04: Nonce of the server")
    func DPOP_04_nonceOfTheServer() async throws {
        try await accept(in: Self.signIn) {
            let good = $0.token
            $0.token = Self.demand("nonce-1")
            $0.token.later = [good]
        } check: { scenario, _ in
            let proofs = try scenario.requests(to: "/token").map { try proof($0).claims }
            #expect(proofs.map { $0["nonce"]?.string } == [nil, "nonce-1"])
            #expect(proofs[0]["jti"] != proofs[1]["jti"])
        }
    }

    /// A server that is never content is asked twice and no more.
    @Test("DPOP-04: Nonce for ever")
    func DPOP_04_nonceForEver() async throws {
        try await control(Self.signIn)
        let scenario = Scenario()
        let error = await expectRefusal(.serverError) {
            try await Self.signIn.run(scenario) { $0.token = Self.demand("nonce-{n}") }
        }
        #expect(error?.server?.code == "use_dpop_nonce")
        #expect(scenario.count("/token") == 2)
    }

    /// A client assertion is good for one request too.
    @Test("DPOP-04: New assertion with the nonce")
    func DPOP_04_newAssertionWithTheNonce() async throws {
        let key = try ClientKey.generate(.ES256)
        let flow = Self.signIn.registered { registration in
            registration.dpopBoundAccessTokens = true
            registration.clientSecret = nil
            registration.signingKey = key
        }.adding("client: { authentication: [private_key_jwt] }")
        try await accept(in: flow) {
            let good = $0.token
            $0.token = Self.demand("nonce-1")
            $0.token.later = [good]
        } check: { scenario, _ in
            let assertions = scenario.requests(to: "/token").compactMap { $0.form["client_assertion"] }
            #expect(Set(assertions).count == 2)
        }
    }

    @Test("DPOP-05: Nonce of the resource is another")
    func DPOP_05_nonceOfTheResourceIsAnother() async throws {
        try await accept(in: Self.call) {
            let good = $0.resource
            $0.resource = ServerResponse([:], status: 401)
            $0.resource.headers += [
                ("WWW-Authenticate", "dPoP error=\"use_dpop_nonce\""), ("DPoP-Nonce", "resource-nonce"),
            ]
            $0.resource.later = [good]
        } check: { scenario, outcome in
            #expect(
                try scenario.requests(to: "/resource").map { try proof($0).claims["nonce"]?.string } == [
                    nil, "resource-nonce",
                ])
            try await outcome.session?.refresh()
            #expect(try proof(scenario.requests(to: "/token").last).claims["nonce"] == nil)
        }
    }

    @Test("DPOP-05: Nonce of a success is kept")
    func DPOP_05_nonceOfASuccessIsKept() async throws {
        try await accept(in: Self.refresh) {
            $0.refresh.headers.append(("DPoP-Nonce", "next-nonce"))
        } check: { scenario, outcome in
            try await outcome.session?.refresh()
            #expect(try proof(scenario.requests(to: "/token").last).claims["nonce"] == "next-nonce")
        }
    }

    @Test("DPOP-06: Bearer token in response to a proof")
    func DPOP_06_bearerTokenInResponseToAProof() async throws {
        try await refuse(.tokenRequest, .unsupportedTokenType, in: Self.signIn, each: ["Bearer", "bearer", "mac"]) {
            $0.token["token_type"] = .string($1)
        }
        try await refuse(.refresh, .unsupportedTokenType, in: Self.refresh) { $0.refresh["token_type"] = "Bearer" }
    }

    @Test("DPOP-07: Scheme")
    func DPOP_07_scheme() async throws {
        for (flow, path) in [(Self.call, "/resource"), (Self.signIn, "/userinfo")] {
            try await accept(in: flow) { scenario, _ in
                #expect(scenario.requests(to: path).first?.headers[.authorization]?.hasPrefix("DPoP ") == true)
            }
        }
    }

    @Test("DPOP-08: Key is named before", arguments: [true, false])
    func DPOP_08_keyIsNamedBefore(isPushed: Bool) async throws {
        try await accept(in: Self.signIn.with { $0.delivery.isPushed = isPushed }) { scenario, outcome in
            let key = try proof(scenario.requests(to: "/token").first).key
            let text =
                "{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\(try #require(key["x"]).jsonText()),\"y\":\(try #require(key["y"]).jsonText())}"
            let thumbprint = base64URL(Data(SHA256.hash(data: Data(text.utf8))))
            let sent = isPushed ? scenario.requests(to: "/par").first?.body : outcome.request?.url
            #expect(sent?.contains("dpop_jkt=\(thumbprint)") == true)
        }
    }

    @Test("DPOP-09: Nonce that cannot be sent")
    func DPOP_09_nonceThatCannotBeSent() async throws {
        let long = [1025, 1 << 20].map { String(repeating: "n", count: $0) }
        for nonce in ["a b", "\u{22}x\u{22}", "a\\b", "", "é"] + long {
            try await refuse(.tokenRequest, .serverError, in: Self.signIn) { $0.token = Self.demand(nonce) }
        }
    }

    @Test("DPOP-10: Keys are never shown and never shared")
    func DPOP_10_keysAreNeverShownAndNeverShared() async throws {
        var keys: Set<Secret> = []
        for _ in 0..<3 {
            try await accept(in: Self.call) { scenario, outcome in
                let key = try #require(outcome.session?.key)
                let stored = try #require(try await scenario.store.load(key)?.connection.dpopKey)
                scenario.remember([stored.reveal()])
                scenario.output.add("\(stored) \(try DPoPKey(encoded: stored))")
                keys.insert(stored)
            }
        }
        #expect(keys.count == 3)
    }

    @Test("DPOP-11: Server with another time")
    func DPOP_11_serverWithAnotherTime() async throws {
        let error = try await refuse(.tokenRequest, .serverError, in: Self.signIn) {
            $0.token = .error("invalid_dpop_proof")
            $0.token.headers.append(("DPoP-Nonce", "nonce-1"))
        }
        #expect(error?.server?.code == "invalid_dpop_proof")
    }

    @Test("DPOP-12: Hundred at once")
    func DPOP_12_hundredAtOnce() async throws {
        let scenario = Scenario()
        scenario.change(Self.bound)
        let session = try await Self.call.client(of: scenario).signIn(at: scenario)
        scenario.change { $0.resource.headers.append(("DPoP-Nonce", "nonce-of-all")) }
        let request = HTTPRequest(url: "https://api.acme.example/resource")
        let outcomes = await concurrently(100) { _ in try await session.send(request).status }
        #expect(outcomes.allSatisfy { (try? $0.get()) == 200 })
        let ids = try scenario.requests(to: "/resource").map { try proof($0).claims["jti"]?.string }
        #expect(Set(ids).count == 100)
    }

    @Test("RT-09: Refresh token keeps its key")
    func RT_09_refreshTokenKeepsItsKey() async throws {
        try await accept(in: Self.refresh) { scenario, _ in
            let keys = try scenario.requests(to: "/token").map { try proof($0).key }
            #expect(keys.count == 2)
            #expect(Set(keys).count == 1)
        }
    }
}
