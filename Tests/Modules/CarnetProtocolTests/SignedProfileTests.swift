import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// Responses of the userinfo endpoint that are JWTs.
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
            verifyingBy: ResponseVerification(
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

    @Test("A required one is read with any content type, and another is named with the key that reads it")
    func otherContentType() throws {
        #expect(try validate(try token(claims), type: "application/json").name == "Ada")
        expectError(.profile, .badSignature) {
            try validate(try token(claims, key: .otherRSA), type: "application/json")
        }
        let error = expectError(.profile, .unexpectedContentType) {
            try validate(try token(claims), Fixture.openID, type: "application/json")
        }
        #expect(error?.message == "the profile is a JWT, sent as application/json")
        #expect(error?.hint?.contains("profile.jwt") == true)
        expectError(.profile, .unexpectedContentType) {
            try validate(#"{"sub":"user-1"}"#, type: "application/json")
        }
    }

    @Test("An unexpected one is verified all the same")
    func anUnexpectedOneIsVerifiedAllTheSame() throws {
        #expect(try validate(try token(claims), Fixture.openID).name == "Ada")
        expectError(.profile, .badSignature) { try validate(try token(claims, key: .otherRSA), Fixture.openID) }
    }
}
