import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// Answers of the userinfo endpoint that are JWTs.
@Suite("Signed profile")
struct SignedProfileTests {
    private static let signed = Fixture.openID + "profile: { jwt: [RS256] }\n"

    private func validate(
        _ token: String, _ yaml: String = signed, type: String = "application/jwt", subject: String? = "user-1"
    ) throws -> Profile {
        let provider = try Fixture.provider(yaml)
        let tokens = TokenSet(accessToken: Secret("at"), tokenType: "Bearer", scopes: [], issuedAt: Attempt.now)
        let request = try Profile.request(tokens, at: provider)
        var response = IncomingResponse.json(token)
        response.head.headerFields[.contentType] = type
        let keys = try JSONWebKeySet(
            validating: .json((["keys": [try SigningKey.rsa.jwk(["kid": "1"])]] as JSONValue).jsonText()))
        return try Profile(
            validating: response, to: request, from: provider, subject: subject,
            verifyingBy: AnswerVerification(
                with: keys, for: ClientRegistration(clientID: "client", redirectURI: Attempt.redirectURI),
                now: Attempt.now))
    }

    private func token(
        _ claims: JSONValue, algorithm: String = "RS256", key: SigningKey = .rsa, header: [String: JSONValue] = [:]
    ) throws -> String {
        try key.token(claims, algorithm: algorithm, keyID: "1", header: header)
    }

    private let claims: JSONValue = [
        "iss": "https://id.acme.example", "aud": "client", "sub": "user-1", "name": "Ada",
    ]

    // UI-04.
    @Test(
        "Is believed by its signature",
        arguments: ["application/jwt", "application/jwt; charset=utf-8", "Application/JWT;charset=UTF-8"])
    func isBelievedByItsSignature(_ type: String) throws {
        #expect(try validate(try token(claims), type: type).name == "Ada")
        let provider = try Fixture.provider(Self.signed)
        let tokens = TokenSet(accessToken: Secret("at"), tokenType: "Bearer", scopes: [], issuedAt: Attempt.now)
        #expect(try Profile.request(tokens, at: provider).header("Accept") == "application/jwt")
    }

    // UI-04, INT-10: a real server's has neither issuer nor audience.
    @Test("Issuer and audience are checked where they are")
    func issuerAndAudienceAreCheckedWhereTheyAre() throws {
        #expect(try validate(try token(["sub": "user-1", "name": "Ada"])).name == "Ada")
        for (claims, kind) in [
            (["sub": "user-1", "iss": "https://attacker.example"], .issuerMismatch),
            (["sub": "user-1", "aud": "another"], .audienceMismatch),
            (["sub": "user-1", "aud": ["another"]], .audienceMismatch),
            (["sub": "user-1", "exp": 1_767_225_000], .expiredToken),
            (["sub": "user-2"], .subjectMismatch), (["name": "Ada"], .subjectMismatch),
        ] as [(JSONValue, OAuthError.Kind)] {
            expectError(.profile, kind) { try validate(try token(claims)) }
        }
    }

    // UI-04.
    @Test("What is not signed as said is rejected")
    func whatIsNotSignedAsSaidIsRefused() throws {
        let none = SigningKey.signingInput(#"{"alg":"none"}"#, claims.jsonText()) + "."
        expectError(.profile, .unsupportedAlgorithm) { try validate(none) }
        expectError(.profile, .unsupportedAlgorithm) { try validate(try token(claims, algorithm: "RS512")) }
        expectError(.profile, .badSignature) { try validate(try token(claims, key: .otherRSA)) }
        expectError(.profile, .wrongTokenUse) { try validate(try token(claims, header: ["typ": "at+jwt"])) }
        expectError(.profile, .unexpectedContentType) {
            try validate(#"{"sub":"user-1"}"#, type: "application/json")
        }
        expectError(.profile, .unexpectedContentType) { try validate(try token(claims), type: "text/plain") }
    }

    @Test("An unexpected one is verified all the same")
    func anUnexpectedOneIsVerifiedAllTheSame() throws {
        #expect(try validate(try token(claims), Fixture.openID).name == "Ada")
        expectError(.profile, .badSignature) { try validate(try token(claims, key: .otherRSA), Fixture.openID) }
    }
}
