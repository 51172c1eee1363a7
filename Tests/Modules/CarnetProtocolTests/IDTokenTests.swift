import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import Crypto
import Foundation
import Testing

@Suite("ID token claim")
struct IDTokenClaimTests {
    private let issuer: Issuer

    init() throws { issuer = try Issuer() }

    private func refused(_ kind: OAuthError.Kind, _ changes: [String: JSONValue?], at now: Date = Attempt.now) {
        expectError(.idToken, kind) { try issuer.validate(changing: changes, at: now) }
    }

    @Test("Good token is accepted")
    func goodTokenIsAccepted() throws {
        let token = try issuer.validate(changing: [:])
        #expect(token.issuer == "https://id.acme.example")
        #expect(token.subject == "user-1")
        #expect(token.claims["aud"]?.string == "client")
    }

    // IDT-01, IDT-02.
    @Test(
        "Another issuer is rejected",
        arguments: [
            "https://id.acme.example/", "https://id.acme.example.evil.example", "https://ID.acme.example",
            "http://id.acme.example", "https://id.acme.exampl", "https://id.acme.example ",
        ])
    func anotherIssuerIsRefused(_ value: String) { refused(.issuerMismatch, ["iss": .string(value)]) }

    // IDT-01: a tenant is the one that the token itself names, and a refresh stays in it.
    @Test("Issuer of a tenant is tied to its claim")
    func issuerOfATenantIsTiedToItsClaim() throws {
        let rule = "issuer_match: { template: 'https://id.acme.example/{tenant}', claims: { tenant: tid } }\n"
        var expectations = try IDTokenExpectations(
            from: try Fixture.provider(Fixture.openID + rule).discovered,
            as: ClientRegistration(clientID: "client", redirectURI: Attempt.redirectURI),
            nonce: .ofRefresh,
            accessToken: Secret("at")
        )
        func validate(_ issuer: String, tenant: JSONValue?) throws {
            let claims = Issuer.claims(changing: ["iss": .string("https://id.acme.example" + issuer), "tid": tenant])
            let token = try SigningKey.rsa.token(claims, algorithm: "RS256", keyID: "1")
            _ = try IDToken(
                validating: Secret(token), with: try self.issuer.keySet, expecting: expectations, now: Attempt.now)
        }
        try validate("/blue", tenant: "blue")
        for (issuer, tenant) in [("/red", "blue"), ("/blue", nil), ("", "blue"), ("/a/b", "a/b")]
            as [(String, JSONValue?)]
        {
            expectError(.idToken, .issuerMismatch) { try validate(issuer, tenant: tenant) }
        }
        expectations.continuedIssuer = "https://id.acme.example/blue"
        try validate("/blue", tenant: "blue")
        expectError(.idToken, .issuerMismatch) { try validate("/red", tenant: "red") }
    }

    // IDT-03, IDT-06: letters that Unicode holds equal are not equal here.
    @Test("Client is compared by bytes")
    func clientIsComparedByBytes() throws {
        let registration = ClientRegistration(clientID: "K", redirectURI: Attempt.redirectURI)
        let expectations = try IDTokenExpectations(
            from: try Fixture.provider().discovered, as: registration, nonce: .ofRefresh, accessToken: Secret("at"))
        func validate(_ changes: [String: JSONValue?]) throws {
            let claims = Issuer.claims(changing: ["aud": "K"].merging(changes) { $1 })
            let token = try SigningKey.rsa.token(claims, algorithm: "RS256", keyID: "1")
            _ = try IDToken(
                validating: Secret(token), with: try issuer.keySet, expecting: expectations, now: Attempt.now)
        }
        try validate([:])
        expectError(.idToken, .audienceMismatch) { try validate(["aud": "\u{212A}"]) }
        expectError(.idToken, .authorizedPartyMismatch) { try validate(["azp": "\u{212A}"]) }
    }

    // IDT-07: the boundary is the end plus the skew of 60 seconds.
    @Test("End is checked to the second")
    func endIsCheckedToTheSecond() throws {
        let end = Date(timeIntervalSince1970: 1_767_229_200)
        try issuer.validate(changing: [:], at: end + 59)
        refused(.expiredToken, [:], at: end + 60)
        refused(.expiredToken, ["exp": 0])
        refused(.expiredToken, ["exp": 1_767_225_540])
        try issuer.validate(changing: ["exp": .number("1767225540.5")])
    }

    // IDT-07, IDT-08.
    @Test("Times must be numbers", arguments: ["exp", "iat"])
    func timesMustBeNumbers(_ name: String) {
        refused(.missingField, [name: nil as JSONValue?])
        refused(.missingField, [name: .null])
        for value: JSONValue in [
            "1767229200", true, [1], .number("1e300"), .number("9007199254740994"), .number("-1"),
            .number("1e999"),
        ] {
            refused(.wrongFieldType, [name: value])
        }
    }

    // IDT-08.
    @Test("Token from the future is rejected")
    func tokenFromTheFutureIsRefused() throws {
        try issuer.validate(changing: ["iat": 1_767_225_660])
        refused(.issuedInFuture, ["iat": 1_767_225_661])
        try issuer.validate(changing: ["iat": 1_767_000_000])
    }

    // IDT-09.
    @Test("Not before is honoured")
    func notBeforeIsHonoured() throws {
        try issuer.validate(changing: ["nbf": 1_767_225_660])
        refused(.notYetValid, ["nbf": 1_767_225_661])
        refused(.wrongFieldType, ["nbf": "1"])
    }

    @Test("Clock skew is the descriptor's")
    func clockSkewIsTheDescriptors() throws {
        let provider = try Fixture.provider(Fixture.openID + "id_token: { clock_skew: 0 }\n")
        #expect(provider.idToken.clockSkew.seconds == 0)
        #expect(throws: FixtureError.self) { try Fixture.provider(Fixture.openID + "id_token: { clock_skew: 301 }\n") }
    }

    // IDT-10.
    @Test("Subject is a string kept to the byte")
    func subjectIsATextKeptToTheByte() throws {
        let subject = " e\u{301}|" + String(repeating: "x", count: 250)
        let token = try issuer.validate(changing: ["sub": .string(subject)])
        #expect(Array(token.subject.utf8) == Array(subject.utf8))
    }

    // RT-01.
    @Test("Refreshed token may leave the nonce out but not change it")
    func refreshedTokenMayLeaveTheNonceOutButNotChangeIt() throws {
        var issuer = try Issuer()
        issuer.nonce = .continuing(Secret("the-nonce"))
        try issuer.validate(changing: [:])
        try issuer.validate(changing: ["nonce": nil as JSONValue?])
        expectError(.idToken, .nonceMismatch) { try issuer.validate(changing: ["nonce": "other"]) }
        expectError(.idToken, .nonceMismatch) { try issuer.validate(changing: ["nonce": 5]) }
    }

    // RT-01.
    @Test("Refreshed token of another user is rejected")
    func refreshedTokenOfAnotherUserIsRefused() throws {
        var issuer = try Issuer()
        issuer.subject = "user-1"
        try issuer.validate(changing: [:])
        expectError(.idToken, .subjectMismatch) { try issuer.validate(changing: ["sub": "user-2"]) }
        expectError(.idToken, .subjectMismatch) { try issuer.validate(changing: ["sub": "USER-1"]) }
    }

    // IDT-25, JOSE-28.
    @Test(
        "Token of another type is rejected",
        arguments: ["AT+JWT", "JWS"])
    func tokenOfAnotherTypeIsRefused(_ type: String) throws {
        expectError(.idToken, .wrongTokenUse) {
            try issuer.validate(
                SigningKey.rsa.token(Issuer.claims, algorithm: "RS256", keyID: "1", header: ["typ": .string(type)]))
        }
    }

    @Test("Printing shows no claims")
    func printingShowsNoClaims() throws {
        let token = try issuer.validate(changing: ["at_hash": nil as JSONValue?])
        for text in ["\(token)", String(reflecting: token), dumped(token)] {
            #expect(!text.contains("the-nonce"))
        }
    }
}

@Suite("Access token hash")
struct AccessTokenHashTests {
    // OpenID Connect Core, section 3.1.3.6, computed here anew.
    private func hash(_ token: String, _ algorithm: String) -> String {
        let data = Data(token.utf8)
        let digest =
            switch algorithm.suffix(3) {
            case "256": Data(SHA256.hash(data: data))
            case "384": Data(SHA384.hash(data: data))
            default: Data(SHA512.hash(data: data))
            }
        return base64URL(digest.prefix(digest.count / 2))
    }

    private static let signers: [(String, SigningKey)] = [
        ("RS256", .rsa), ("RS384", .rsa), ("RS512", .rsa), ("PS256", .rsa), ("PS384", .rsa), ("PS512", .rsa),
        ("ES256", .p256), ("ES384", .p384), ("ES512", .p521), ("EdDSA", .ed25519),
    ]

    // IDT-20, IDT-23, TOK-17; and one signature of each algorithm.
    @Test("Hash belongs to the algorithm", arguments: signers.indices)
    func hashBelongsToTheAlgorithm(_ index: Int) throws {
        let (name, key) = Self.signers[index]
        var issuer = try Issuer(keys: [key.jwk(["kid": "1"])])
        issuer.algorithms = [try #require(SignatureAlgorithm(rawValue: name))]
        func token(_ hash: JSONValue) throws -> String {
            try key.token(Issuer.claims(changing: ["at_hash": hash]), algorithm: name, keyID: "1")
        }
        try issuer.validate(try token(.string(hash("at", name))))
        let other = name.hasSuffix("256") ? "RS512" : "RS256"
        for wrong: JSONValue in [
            .string(hash("other", name)), .string(hash("at", other)), .string(String(hash("at", name).dropLast())), 5,
        ] {
            expectError(.idToken, .accessTokenHashMismatch) { try issuer.validate(try token(wrong)) }
        }
    }

    @Test("An ID token that is the access token, too, has the hash of another one")
    func ownHash() throws {
        var issuer = try Issuer()
        let claims = Issuer.claims(changing: ["at_hash": .string(hash("another", "RS256"))])
        let token = try SigningKey.rsa.token(claims, algorithm: "RS256", keyID: "1")
        expectError(.idToken, .accessTokenHashMismatch) { try issuer.validate(token) }
        issuer.accessToken = token
        try issuer.validate(token)
    }

    // INT-26: a claim that may be missing may be null; one that must be there may not.
    @Test("Claim that may be missing may be null")
    func claimThatMayBeMissingMayBeNull() throws {
        let issuer = try Issuer()
        try issuer.validate(changing: ["azp": .null, "nbf": .null, "at_hash": .null, "c_hash": .null])
        for name in ["iss", "sub", "aud", "exp", "iat", "nonce"] {
            #expect(throws: OAuthError.self, "\(name)") { try issuer.validate(changing: [name: .null]) }
        }
        // Equal audiences are one.
        try issuer.validate(changing: ["aud": ["client", "client"]])
        // Several audiences take an authorized party, which null does not name.
        expectError(.idToken, .audienceMismatch) {
            try issuer.validate(changing: ["aud": ["client", "other"], "azp": .null])
        }
        var refreshed = issuer
        refreshed.nonce = .exactly(nil)
        try refreshed.validate(changing: ["nonce": .null])
        refreshed.nonce = .continuing(Secret("the-nonce"))
        try refreshed.validate(changing: ["nonce": .null])
    }
}
