import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Introspection")
struct IntrospectionTests {
    private static let yaml = Fixture.openID.replacing(
        "endpoints:\n", with: "endpoints:\n  introspection: https://id.acme.example/introspect\n")

    private func request(_ keys: String = "", secret: String? = "s") throws -> (FilledProvider, PreparedRequest) {
        let provider = try Fixture.provider(Self.yaml + keys)
        let request = try Introspection.request(
            Secret("the-token"), hint: "access_token",
            in: RequestContext(
                at: provider,
                as: ClientRegistration(
                    clientID: "client", credentials: secret.map { .secret(Secret($0)) } ?? .publicClient,
                    redirectURI: Attempt.redirectURI), random: SeededRandomSource(seed: 1), now: Attempt.now))
        return (provider, request)
    }

    private func validate(
        _ body: String, status: Int = 200, type: String = "application/json", _ keys: String = ""
    ) throws -> Introspection {
        let (provider, request) = try request(keys)
        var response = IncomingResponse.json(body, status: status)
        response.head.headerFields[.contentType] = type
        let keySet = try JSONWebKeySet(
            validating: .json((["keys": [try SigningKey.rsa.jwk(["kid": "1"])]] as JSONValue).jsonText()))
        return try Introspection(
            validating: response, to: request, from: provider, now: Attempt.now,
            verifyingBy: ResponseVerification(
                with: keySet, for: ClientRegistration(clientID: "client", redirectURI: Attempt.redirectURI),
                now: Attempt.now))
    }

    @Test("Request is a form with the client's credentials")
    func requestIsAFormWithTheClientsCredentials() throws {
        let (_, request) = try request()
        #expect(request.bodyText == "token=the-token&token_type_hint=access_token")
        #expect(request.header("Authorization") == "Basic Y2xpZW50OnM=")
        #expect(!request.redacted.body.contains("the-token"))
        let (_, other) = try self.request(
            "introspection: { rename: { token: access_token }, omit: [token_type_hint], parameters: { v: '2' } }\n")
        #expect(other.bodyText == "access_token=the-token&v=2")
    }

    @Test("Active response is read typed")
    func activeResponseIsReadTyped() throws {
        let reply = try validate(
            #"{"active":true,"sub":"u","client_id":"c","username":"ada","token_type":"Bearer","scope":"a b","#
                + #""iss":"https://id.acme.example","aud":["x","y"],"exp":1796152621.685867,"iat":1767225600,"#
                + #""cnf":{"jkt":"k"},"more":1}"#)
        #expect(reply.isActive && reply.subject == "u" && reply.clientID == "c" && reply.username == "ada")
        #expect(reply.scopes == ["a", "b"] && reply.audience == ["x", "y"] && reply.tokenType == "Bearer")
        // INTR-02: a real server gives parts of a second.
        #expect(reply.expiresAt == Date(timeIntervalSince1970: 1_796_152_621.685867))
        #expect(reply.confirmation == ["jkt": "k"] && reply.claims["more"] == 1)
        #expect(try validate(#"{"active":true,"aud":"x"}"#).audience == ["x"])
    }

    // INTR-01.
    @Test(
        "Active is true or false",
        arguments: [
            #"{"active":"true"}"#, #"{"active":1}"#, #"{"active":null}"#, #"{}"#, #"{"sub":"u"}"#,
        ])
    func activeIsTrueOrFalse(_ body: String) {
        #expect(throws: OAuthError.self) { try validate(body) }
    }

    // INTR-01: of a token that is not active, nothing is believed.
    @Test("Inactive response says nothing else")
    func inactiveResponseSaysNothingElse() throws {
        let reply = try validate(#"{"active":false,"sub":"u","exp":"x"}"#)
        #expect(!reply.isActive && reply.subject == nil && reply.claims.members.isEmpty)
    }

    // INTR-02.
    @Test("Active is none whose times say otherwise")
    func activeIsNoneWhoseTimesSayOtherwise() throws {
        #expect(try !validate(#"{"active":true,"exp":1767225000}"#).isActive)
        #expect(try !validate(#"{"active":true,"nbf":1767229200}"#).isActive)
        #expect(try validate(#"{"active":true,"exp":1767225590}"#).isActive, "clocks may differ")
    }

    // INTR-02.
    @Test(
        "Wrong fields are rejected",
        arguments: [
            (#""exp":"soon""#, .wrongFieldType), (#""nbf":{}"#, .wrongFieldType), (#""sub":5"#, .wrongFieldType),
            (#""aud":[1]"#, .wrongFieldType), (#""scope":["a"]"#, .wrongFieldType),
            (#""iss":"https://attacker.example""#, .issuerMismatch),
        ] as [(String, OAuthError.Kind)])
    func wrongFieldsAreRefused(_ field: String, _ kind: OAuthError.Kind) {
        expectError(.introspection, kind) { try validate(#"{"active":true,\#(field)}"#) }
    }

    // INTR-05.
    @Test("Refusal is an error and not a response", arguments: [400, 401, 403, 404, 500, 302])
    func refusalIsAnErrorAndNotAResponse(_ status: Int) {
        #expect(throws: OAuthError.self) { try validate(#"{"active":false}"#, status: status) }
    }

    // MARK: - RFC 9701

    private static let signed = "introspection: { jwt: [RS256] }\n"
    private static let mediaType = "application/token-introspection+jwt"

    private func token(
        changing changes: [String: JSONValue?] = [:], type: String? = "token-introspection+jwt",
        key: SigningKey = .rsa, algorithm: String = "RS256"
    ) throws -> String {
        var claims = JSONObject()
        claims["iss"] = "https://id.acme.example"
        claims["aud"] = "client"
        claims["iat"] = 1_767_225_600
        claims["token_introspection"] = ["active": true, "sub": "u"]
        for (name, value) in changes { claims[name] = value }
        return try key.token(
            .object(claims), algorithm: algorithm, keyID: "1", header: type.map { ["typ": .string($0)] } ?? [:])
    }

    // INTR-03.
    @Test("Signed response is believed by its signature")
    func signedResponseIsBelievedByItsSignature() throws {
        let (_, request) = try request(Self.signed)
        #expect(request.header("Accept") == Self.mediaType)
        #expect(try validate(try token(), type: Self.mediaType, Self.signed).subject == "u")
        #expect(try validate(try token(), type: Self.mediaType).subject == "u", "one that was not asked for too")
    }

    // INTR-03.
    @Test("Signed response of another kind or for another is rejected")
    func signedResponseOfAnotherKindOrForAnotherIsRefused() throws {
        let bad: [(String, OAuthError.Kind)] = [
            (try token(type: "JWT"), .wrongTokenUse), (try token(type: nil), .wrongTokenUse),
            (try token(type: "at+jwt"), .wrongTokenUse),
            (try token(algorithm: "PS256"), .unsupportedAlgorithm), (try token(key: .otherRSA), .badSignature),
            (
                SigningKey.signingInput(#"{"alg":"none","typ":"token-introspection+jwt"}"#, "{}") + ".",
                .unsupportedAlgorithm
            ),
            (try token(changing: ["iss": nil]), .missingField), (try token(changing: ["aud": nil]), .missingField),
            (try token(changing: ["iss": "https://attacker.example"]), .issuerMismatch),
            (try token(changing: ["aud": "another"]), .audienceMismatch),
            (try token(changing: ["token_introspection": nil]), .missingField),
            (try token(changing: ["token_introspection": true]), .missingField),
        ]
        for (token, kind) in bad {
            expectError(.introspection, kind) { try validate(token, type: Self.mediaType, Self.signed) }
        }
        expectError(.introspection, .unexpectedContentType) { try validate(#"{"active":true}"#, Self.signed) }
    }
}
