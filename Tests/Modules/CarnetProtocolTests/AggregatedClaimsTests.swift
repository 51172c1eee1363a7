import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

/// Claims of a profile that somebody else has signed (OpenID Connect Core, section 5.6.2).
@Suite("Aggregated claims")
struct AggregatedClaimsTests {
    private static let yaml =
        Fixture.openID + """
            profile:
              claims: { score: /credit_score, address: /address }
              sources:
                - { issuer: https://bank.example, jwks: https://bank.example/keys, claims: [credit_score, sub] }

            """

    private func profile(
        _ token: String, names: JSONValue = ["credit_score": "bank"], source: JSONValue? = nil, yaml: String = yaml,
        also members: JSONValue = [:]
    ) throws -> (FilledProvider, Profile) {
        let provider = try Fixture.provider(yaml)
        var body: JSONValue = ["sub": "user-1", "_claim_names": names]
        body.set(["bank": source ?? ["JWT": .string(token)]], at: JSONPointer(tokens: ["_claim_sources"]))
        for member in members.object?.members ?? [] { body.set(member.value, at: JSONPointer(tokens: [member.name])) }
        let tokens = TokenSet(accessToken: Secret("at"), tokenType: "Bearer", scopes: [], issuedAt: Attempt.now)
        let request = try Profile.request(tokens, at: provider)
        return (
            provider,
            try Profile(validating: .json(body.jsonText()), to: request, from: provider, subject: "user-1")
        )
    }

    private func added(
        _ token: String, names: JSONValue = ["credit_score": "bank"], also members: JSONValue = [:],
        yaml: String = yaml
    ) throws -> Profile {
        let (provider, profile) = try profile(token, names: names, yaml: yaml, also: members)
        let (claims, failures) = profile.aggregatedClaims(at: provider)
        if let failure = failures.first { throw failure }
        let keys = try JSONWebKeySet(
            validating: .json((["keys": [try SigningKey.rsa.jwk(["kid": "1"])]] as JSONValue).jsonText()))
        return try claims.reduce(profile) { profile, claims in
            try profile.adding(
                claims, from: provider,
                verifyingBy: ResponseVerification(
                    with: keys, for: ClientRegistration(clientID: "client", redirectURI: Attempt.redirectURI),
                    now: Attempt.now))
        }
    }

    private func token(
        changing changes: [String: JSONValue?] = [:], key: SigningKey = .rsa, algorithm: String = "RS256",
        header: [String: JSONValue] = [:]
    ) throws -> String {
        var claims = JSONObject()
        claims["iss"] = "https://bank.example"
        claims["credit_score"] = 650
        claims["address"] = "nowhere"
        claims["sub"] = "somebody"
        for (name, value) in changes { claims[name] = value }
        return try key.token(.object(claims), algorithm: algorithm, keyID: "1", header: header)
    }

    @Test("Claim of a trusted source is believed by its signature")
    func claimOfATrustedSourceIsBelievedByItsSignature() throws {
        let profile = try added(try token())
        #expect(profile["score"] == 650 && profile.subject == "user-1")
        for audience in ["client", "https://id.acme.example"] {
            #expect(try added(try token(changing: ["aud": .string(audience)]))["score"] == 650)
        }
    }

    @Test("Source gives nothing beyond its claims")
    func sourceGivesNothingBeyondItsClaims() throws {
        let names: JSONValue = ["credit_score": "bank", "address": "bank", "sub": "bank"]
        let profile = try added(try token(), names: names)
        #expect(profile["score"] == 650 && profile["address"] == nil && profile.subject == "user-1")
        let own = try added(try token(), also: ["credit_score": 1])
        #expect(own["score"] == 1, "what the provider says itself stays")
        #expect(try added(try token(), names: ["credit_score": "other"])["score"] == nil)
    }

    @Test("A source that verified another address than the provider's says nothing of that one")
    func sourceVerifiesItsOwnAddress() throws {
        let yaml = Self.yaml.replacing("[credit_score, sub]", with: "[email, email_verified]")
        let cases: [(own: JSONValue, email: String, isVerified: Bool?)] = [
            (["email": "victim@acme.example"], "victim@acme.example", nil),
            (["email": "ada@bank.example"], "ada@bank.example", true), ([:], "ada@bank.example", true),
            (["email": "ada@bank.example", "email_verified": false], "ada@bank.example", false),
        ]
        for (own, email, isVerified) in cases {
            let profile = try added(
                try token(changing: ["email": "ada@bank.example", "email_verified": true]),
                names: ["email_verified": "bank", "email": "bank"], also: own, yaml: yaml)
            #expect(profile.email == email && profile.isEmailVerified == isVerified, "\(own)")
        }
    }

    @Test("An address of one party and the verification of another are no verified address")
    func addressAndVerificationOfDifferentParties() throws {
        let yaml = Self.yaml.replacing("[credit_score, sub]", with: "[email, email_verified]")
        let signed = try token(changing: ["email": "ada@bank.example", "email_verified": true])
        let other = try added(signed, names: ["email": "bank"], also: ["email_verified": true], yaml: yaml)
        #expect(other.email == "ada@bank.example" && other.isEmailVerified == nil)
        let alone = try added(signed, names: ["email_verified": "bank"], yaml: yaml)
        #expect(alone.isEmailVerified == nil)
    }

    @Test("What is not signed by the source is rejected")
    func whatIsNotSignedByTheSourceIsRefused() throws {
        let bad: [(String, OAuthError.Kind)] = [
            (try token(key: .otherRSA), .badSignature), (try token(algorithm: "PS256"), .unsupportedAlgorithm),
            (
                SigningKey.signingInput(#"{"alg":"none"}"#, #"{"iss":"https://bank.example"}"#) + ".",
                .unsupportedAlgorithm
            ),
            (try token(header: ["typ": "at+jwt"]), .wrongTokenUse),
            (try token(changing: ["iss": "https://attacker.example"]), .issuerMismatch),
            (try token(changing: ["iss": nil]), .issuerMismatch),
            (try token(changing: ["aud": "another"]), .audienceMismatch),
            (try token(changing: ["exp": 1_767_220_000]), .expiredToken), ("no token", .malformedToken),
        ]
        for (token, kind) in bad { expectError(.profile, kind) { try added(token) } }
    }

    @Test("Distributed claims are left")
    func distributedClaimsAreLeft() throws {
        let (provider, profile) = try profile("", source: ["endpoint": "https://bank.example/", "access_token": "x"])
        let (claims, failures) = profile.aggregatedClaims(at: provider)
        #expect(claims.isEmpty && failures.map(\.kind) == [.unsupported])
    }

    @Test("Without a trusted source nothing is read")
    func withoutATrustedSourceNothingIsLookedAt() throws {
        let (provider, profile) = try profile(try token(), yaml: Fixture.openID)
        let (claims, failures) = profile.aggregatedClaims(at: provider)
        #expect(claims.isEmpty && failures.isEmpty)
    }
}
