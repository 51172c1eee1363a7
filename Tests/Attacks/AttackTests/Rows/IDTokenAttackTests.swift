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
import Testing

@Suite("IDT: the claims of the ID token", .searchedForSecrets)
struct IDTokenAttackTests {
    private func refuse(
        _ kind: OAuthError.Kind, _ claim: String, _ values: [JSONValue?],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await AttackTests.refuse(.idToken, kind, each: values, sourceLocation: sourceLocation) {
            $0.idToken.claims[claim] = $1
        }
    }

    @Test("IDT-01: Issuer wrong")
    func IDT_01_issuerWrong() async throws {
        try await refuse(
            .issuerMismatch, "iss",
            [
                "https://evil.example", "https://id.acme.example/", "https://ID.acme.example",
                "https://id.acme.example.evil", "https://id.acme", "http://id.acme.example",
            ])
    }

    @Test("IDT-02: Issuer missing or no string")
    func IDT_02_issuerMissingOrNoText() async throws {
        try await refuse(.missingField, "iss", [nil, ""])
        try await refuse(.wrongFieldType, "iss", [["https://id.acme.example"], 5, true])
    }

    @Test("IDT-03: Audience")
    func IDT_03_audience() async throws {
        try await refuse(.audienceMismatch, "aud", ["other", [""], [], ["other"], "client ", "Client", "clien"])
        try await refuse(.missingField, "aud", [nil, ""])
        try await refuse(.wrongFieldType, "aud", [5, ["x": "client"], ["client", 5], [["client"]], true])
    }

    @Test("IDT-04: Audience as a list")
    func IDT_04_audienceAsAList() async throws {
        try await accept {
            $0.idToken.claims["aud"] = ["client"]
        } check: {
            #expect($1.tokens != nil)
        }
    }

    @Test("IDT-05: Further audiences")
    func IDT_05_furtherAudiences() async throws {
        try await refuse(
            .audienceMismatch, "aud", [["client", "other"], ["other", "client"], ["client", "client", "other"]])
        try await AttackTests.refuse(.idToken, .authorizedPartyMismatch) { script in
            script.idToken.claims["aud"] = ["client", "other"]
            script.idToken.claims["azp"] = "other"
        }
        try await accept {
            $0.idToken.claims["aud"] = ["client", "other"]
            $0.idToken.claims["azp"] = "client"
        } check: {
            #expect($1.tokens != nil)
        }
        // The same client twice is no further audience.
        try await accept {
            $0.idToken.claims["aud"] = ["client", "client"]
        } check: {
            #expect($1.tokens != nil)
        }
    }

    @Test("IDT-06: Authorized party")
    func IDT_06_authorizedParty() async throws {
        try await refuse(.authorizedPartyMismatch, "azp", ["other", 5, ["client"], "CLIENT"])
    }

    @Test("IDT-07: End")
    func IDT_07_end() async throws {
        try await refuse(.missingField, "exp", [nil])
        try await refuse(.expiredToken, "exp", ["{now-3600}", 0])
        try await refuse(.wrongFieldType, "exp", ["1999999999", true, [], .number("1e300"), ["a": 1], -1])
        try await accept(each: [.number("1767229200.5"), .number("1.7672292e9")] as [JSONValue]) {
            $0.idToken.claims["exp"] = $1
        }
    }

    /// To the second, with the skew that the descriptor says.
    @Test("IDT-07: End to the second")
    func IDT_07_endToTheSecond() async throws {
        let flow = Flow.signIn.adding("id_token: { clock_skew: 30 }")
        try await accept(in: flow) {
            $0.idToken.claims["exp"] = "{now-29}"
        } check: {
            #expect($1.tokens != nil)
        }
        try await AttackTests.refuse(.idToken, .expiredToken, in: flow) { $0.idToken.claims["exp"] = "{now-30}" }
    }

    @Test("IDT-08: Issue time")
    func IDT_08_issueTime() async throws {
        try await refuse(.missingField, "iat", [nil])
        try await refuse(.issuedInFuture, "iat", ["{now+3600}", "{now+601}"])
        try await refuse(.wrongFieldType, "iat", ["1767225600", true, [], .number("1e300")])
    }

    @Test("IDT-09: Not yet valid")
    func IDT_09_notYetValid() async throws {
        try await refuse(.notYetValid, "nbf", ["{now+3600}"])
        try await refuse(.wrongFieldType, "nbf", ["x", true])
        try await accept {
            $0.idToken.claims["nbf"] = "{now}"
        } check: {
            #expect($1.tokens != nil)
        }
    }

    @Test("IDT-10: Subject")
    func IDT_10_subject() async throws {
        try await refuse(.missingField, "sub", [nil])
        try await refuse(.wrongFieldType, "sub", [5, ["user-1"], true, .string(String(repeating: "s", count: 256))])
        let odd = " User-1\u{E9} "
        try await accept {
            $0.idToken.claims["sub"] = .string(odd)
            $0.userinfo["sub"] = .string(odd)
        } check: { _, outcome in
            let identity = try await outcome.session?.identity()
            #expect(identity?.subject == odd)
        }
    }

    @Test("IDT-10: Subject that is empty")
    func IDT_10_subjectThatIsEmpty() async throws {
        try await refuse(.missingField, "sub", [""])
    }

    @Test("IDT-11: Nonce")
    func IDT_11_nonce() async throws {
        try await refuse(.nonceMismatch, "nonce", [nil, "other", "", ["{nonce}"], 5])
        let withoutNonce = Flow.signIn.adding("authorization: { nonce: { none: \"the server refuses it\" } }")
            .served { $0.idToken.claims["nonce"] = nil }
        try await AttackTests.refuse(.idToken, .nonceMismatch, in: withoutNonce) { $0.idToken.claims["nonce"] = "x" }
    }

    @Test("IDT-12: Token of an earlier sign-in")
    func IDT_12_tokenOfAnEarlierSignIn() async throws {
        let scenario = Scenario()
        let client = try Flow.signIn.client(of: scenario)
        let first = try #require(try await client.signIn(at: scenario).storedTokens().idToken).reveal()
        scenario.change { script in
            script.idToken.forge = { _ in first }
            script.idToken.claims["at_hash"] = nil
        }
        await expectRefusal(.nonceMismatch) { try await client.signIn(at: scenario) }
    }

    /// There is no way to say "do not look at the nonce" by passing nothing.
    @Test("IDT-13: No nonce is not no check")
    func IDT_13_noNonceIsNotNoCheck() async throws {
        let scenario = Scenario()
        var token = Token()
        token.claims["nonce"] = "a-nonce-that-nobody-sent"
        let compact = try scenario.compact(token, nonce: "", accessToken: "the-access-token")
        let provider = try Fixture.provider(Flow.openID)
        let expectations = try IDTokenExpectations(
            from: provider.discovered, as: ClientRegistration(clientID: "client", redirectURI: Scenario.redirectURI),
            nonce: .exactly(nil), accessToken: Secret("the-access-token"))
        let keys = try JSONWebKeySet(validating: .json((["keys": .array(Script.goodKeys)] as JSONValue).jsonText()))
        await expectRefusal(.nonceMismatch) {
            try IDToken(validating: Secret(compact), with: keys, expecting: expectations, now: scenario.clock.now)
        }
    }

    @Test("IDT-14: Sign-in too long ago")
    func IDT_14_signInTooLongAgo() async throws {
        let flow = Flow.signIn.with { $0.authentication = .init(maxAge: 300) }.served {
            $0.idToken.claims["auth_time"] = "{now}"
        }
        try await AttackTests.refuse(.idToken, .authenticationTooOld, in: flow) {
            $0.idToken.claims["auth_time"] = "{now-3600}"
        }
        try await AttackTests.refuse(.idToken, .missingField, in: flow) { $0.idToken.claims["auth_time"] = nil }
        try await AttackTests.refuse(.idToken, .wrongFieldType, in: flow) {
            $0.idToken.claims["auth_time"] = "1767225600"
        }
    }

    @Test("IDT-15: Sign-in by weaker means")
    func IDT_15_signInByWeakerMeans() async throws {
        let claims = try JSONValue(parsing: #"{"id_token":{"acr":{"essential":true,"values":["urn:strong"]}}}"#)
        let flow = Flow.signIn.with { $0.access.claims = claims.object }.served {
            $0.idToken.claims["acr"] = "urn:strong"
        }
        try await AttackTests.refuse(
            .idToken, .authenticationTooWeak, in: flow,
            each: ["urn:weak", "", "urn:Strong", nil, 5, ["urn:strong"]] as [JSONValue?]
        ) { $0.idToken.claims["acr"] = $1 }
    }

    @Test("IDT-16: Token that is no JWS")
    func IDT_16_tokenThatIsNoJWS() async throws {
        let forgeries: [@Sendable (String) -> String] = [
            { $0.split(separator: ".").dropLast().joined(separator: ".") }, { $0 + ".x" }, { "." + $0 },
            { String($0.prefix { $0 != "." }) }, { _ in ".." }, { _ in "x" },
            { "." + $0.split(separator: ".").dropFirst().joined(separator: ".") },
        ]
        for forgery in forgeries {
            try await AttackTests.refuse(.idToken, .malformedToken) { $0.idToken.forge = forgery }
        }
        try await AttackTests.refuse(.idToken, .malformedToken, each: ["[]", "null", "5", "\"x\"", "", "{"]) {
            $0.idToken.rawClaims = $1
        }
    }

    @Test("IDT-17: Base64 that is not canonical")
    func IDT_17_base64ThatIsNotCanonical() async throws {
        let forgeries: [@Sendable (String) -> String] = [
            { $0 + "=" }, { $0 + "==" }, { $0.replacingOccurrences(of: ".", with: "=.") },
            { $0.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/") + "+" },
            { $0 + "!" }, { Self.changingLastBits($0) },
        ]
        for forgery in forgeries {
            try await AttackTests.refuse(.idToken, .malformedToken) { $0.idToken.forge = forgery }
        }
        try await AttackTests.refuse(.tokenRequest, .wrongFieldType) { $0.idToken.forge = { $0 + "\n" } }
    }

    /// The same bytes in another spelling: 256 bytes of a signature leave four bits over.
    private static func changingLastBits(_ token: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        guard let last = token.last, let index = alphabet.firstIndex(of: last) else { return token }
        return token.dropLast() + String(alphabet[index + 1])
    }

    @Test("IDT-18: Claim twice")
    func IDT_18_claimTwice() async throws {
        try await AttackTests.refuse(
            .idToken, .malformedToken,
            each: [
                #""aud":"client","aud":"other""#, #""sub":"user-1","sub":"admin""#, #""\u0061ud":"client","aud":"x""#,
            ]
        ) { $0.idToken.rawClaims = "{\"iss\":\"https://id.acme.example\",\($1)}" }
    }

    /// Another user with the same address is another user.
    @Test("IDT-19: Accounts are not addresses")
    func IDT_19_accountsAreNotAddresses() async throws {
        let scenario = Scenario()
        let client = try Flow.signIn.client(of: scenario)
        let ada = try await client.signIn(at: scenario)
        scenario.change { $0.idToken.claims["sub"] = "user-2" }
        let other = try await client.signIn(at: scenario)
        #expect(ada.key != other.key)
        #expect(try await ada.identity().subject == "user-1")
        #expect(try await other.identity().subject == "user-2")
        #expect(try await ada.storedTokens() != other.storedTokens())
    }

    @Test("IDT-19: Address that may not be verified")
    func IDT_19_addressThatMayNotBeVerified() async throws {
        let cases: [(JSONValue?, Bool?)] = [
            (nil, nil), (true, true), ("true", true), ("false", false), (1, nil), ("yes", nil),
        ]
        try await accept(each: cases) {
            $0.userinfo["email_verified"] = $1.0
        } check: {
            #expect($1.profile?.isEmailVerified == $2.1)
        }
    }

    @Test("IDT-20: Hash of the access token")
    func IDT_20_hashOfTheAccessToken() async throws {
        let other = base64URL(Data(SHA256.hash(data: Data("other".utf8))).prefix(16))
        try await refuse(
            .accessTokenHashMismatch, "at_hash", [.string(other), .string(String(other.prefix(8))), 5, []])
    }

    /// The hash of another algorithm than that of the signature.
    @Test("IDT-20: Hash of another algorithm")
    func IDT_20_hashOfAnotherAlgorithm() async throws {
        let flow = Flow.signIn.served { script in
            script.metadata["id_token_signing_alg_values_supported"] = ["RS512"]
            script.idToken.header["alg"] = "RS512"
            script.idToken.algorithm = "RS512"
            script.idToken.claims["at_hash"] = nil
        }
        try await AttackTests.refuse(.idToken, .accessTokenHashMismatch, in: flow) {
            $0.idToken.claims["at_hash"] = "{at_hash}"
        }
    }

    @Test("IDT-21: Hash may be missing")
    func IDT_21_hashMayBeMissing() async throws {
        try await accept {
            $0.idToken.claims["at_hash"] = nil
        } check: {
            #expect($1.tokens != nil)
        }
    }

    @Test("IDT-22: Hash of the code")
    func IDT_22_hashOfTheCode() async throws {
        let other = base64URL(Data(SHA256.hash(data: Data("other".utf8))).prefix(16))
        try await refuse(.codeHashMismatch, "c_hash", [.string(other), 5])
    }

    /// Real servers put it in where nobody asked for it.
    @Test("IDT-24: Hash of the code that is right")
    func IDT_24_hashOfTheCodeThatIsRight() async throws {
        try await accept {
            $0.idToken.claims["c_hash"] = "{c_hash}"
        } check: {
            #expect($1.tokens != nil)
        }
    }

    @Test("IDT-23: Hash of EdDSA")
    func IDT_23_hashOfEdDSA() async throws {
        let token = "an-access-token-of-its-own"
        let right = base64URL(Data(SHA512.hash(data: Data(token.utf8))).prefix(32))
        let wrong = base64URL(Data(SHA256.hash(data: Data(token.utf8))).prefix(16))
        let flow = Flow.signIn.served { script in
            script.metadata["id_token_signing_alg_values_supported"] = ["EdDSA"]
            script.keys["keys"] = [(try? SigningKey.ed25519.jwk(["kid": "1"])) ?? .null]
            script.token["access_token"] = .string(token)
            script.idToken.header["alg"] = "EdDSA"
            script.idToken.algorithm = "EdDSA"
            script.idToken.key = .ed25519
            script.idToken.claims["at_hash"] = .string(right)
        }
        try await AttackTests.refuse(.idToken, .accessTokenHashMismatch, in: flow) {
            $0.idToken.claims["at_hash"] = .string(wrong)
        }
    }

    @Test("IDT-25: Token of another kind")
    func IDT_25_tokenOfAnotherKind() async throws {
        try await AttackTests.refuse(
            .idToken, .wrongTokenUse,
            each: [
                "at+jwt", "application/at+jwt", "logout+jwt", "dpop+jwt", "oauth-authz-req+jwt",
                "token-introspection+jwt", "",
            ]
        ) { $0.idToken.header["typ"] = .string($1) }
        try await refuse(
            .wrongTokenUse, "events", [["http://schemas.openid.net/event/backchannel-logout": [:]], "x", .null])
        try await accept(each: ["JWT", "jwt"]) { $0.idToken.header["typ"] = .string($1) }
    }

    @Test("IDT-27: Signature is checked all the same")
    func IDT_27_signatureIsCheckedAllTheSame() async throws {
        try await AttackTests.refuse(.idToken, .badSignature) { $0.idToken.key = .otherRSA }
    }
}
