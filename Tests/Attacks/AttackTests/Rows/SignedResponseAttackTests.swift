// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

@Suite("ARES, JAR, INTR, UI: what is signed besides ID tokens", .searchedForSecrets)
struct SignedResponseAttackTests {
    // MARK: - Signed authorization responses

    private static let response: Token = {
        var token = Token()
        token.claims = JSONObject()
        token.claims["iss"] = .string(Scenario.issuer)
        token.claims["aud"] = .string(Scenario.clientID)
        token.claims["exp"] = "{now+60}"
        token.claims["code"] = "{code}"
        token.claims["state"] = "{state}"
        return token
    }()

    private static let signed = Flow.signIn.adding("authorization: { response_mode: jwt }\ncallback: { jwt: [RS256] }")
        .served { $0.response = response }

    private func refuse(
        _ kind: OAuthError.Kind, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: @Sendable @escaping (inout Token) -> Void
    ) async throws {
        try await AttackTests.refuse(
            .callback, kind, in: Self.signed, mayRequest: ["/jwks"], sourceLocation: sourceLocation
        ) { script in
            var response = Self.response
            change(&response)
            script.response = response
        }
    }

    @Test("ARES-20: Signature")
    func ARES_20_signature() async throws {
        try await refuse(.unsupportedAlgorithm) { token in
            token.header["alg"] = "none"
            token.algorithm = nil
        }
        try await refuse(.unsupportedAlgorithm) { token in
            token.header["alg"] = "PS256"
            token.algorithm = "PS256"
        }
        try await refuse(.badSignature) { $0.key = .otherRSA }
        try await refuse(.keyNotFound) { $0.header["kid"] = "unknown" }
        try await refuse(.wrongTokenUse) { $0.header["typ"] = "at+jwt" }
    }

    @Test("ARES-20: Claims")
    func ARES_20_claims() async throws {
        try await refuse(.issuerMismatch) { $0.claims["iss"] = "https://evil.example" }
        try await refuse(.missingField) { $0.claims["iss"] = nil }
        try await refuse(.audienceMismatch) { $0.claims["aud"] = "other" }
        try await refuse(.missingField) { $0.claims["aud"] = nil }
        try await refuse(.expiredToken) { $0.claims["exp"] = "{now-3600}" }
        try await refuse(.missingField) { $0.claims["exp"] = nil }
        try await refuse(.stateMismatch) { $0.claims["state"] = "x" }
        try await refuse(.missingState) { $0.claims["state"] = nil }
    }

    @Test("ARES-20: Plain and signed together")
    func ARES_20_plainAndSignedTogether() async throws {
        try await AttackTests.refuse(.callback, .malformedCallback, in: Self.signed) { $0.response = nil }
        try await AttackTests.refuse(.callback, .malformedCallback, in: Self.signed, mayRequest: ["/jwks"]) {
            $0.afterResponse = "&code=of-the-attacker"
        }
        // Where a plain response was asked for a signed one is none.
        try await AttackTests.refuse(.callback, .missingState) { $0.response = Self.response }
    }

    // MARK: - Signed requests

    private func flow(_ key: ClientKey) -> Flow {
        Flow.signIn.adding(
            "authorization: { request_object: { use: always } }\nclient: { authentication: [private_key_jwt] }"
        )
        .registered { registration in
            registration.clientSecret = nil
            registration.signingKey = key
        }
    }

    /// The parameters beside the request object, and its parts.
    private func request(
        _ outcome: Flow.Outcome
    ) throws -> (outside: [String: String], header: JSONValue, claims: JSONValue) {
        let url = try #require(outcome.request?.url)
        let pairs = try #require(PercentEncoding.decodeForm(String(url.drop { $0 != "?" }.dropFirst())))
        let outside = Dictionary(uniqueKeysWithValues: pairs.map { ($0.name, $0.value) })
        let parts = try #require(outside["request"]).split(separator: ".")
        return (
            outside, try JSONValue(parsing: try #require(Base64URL.decode(parts[0].utf8))),
            try JSONValue(parsing: try #require(Base64URL.decode(parts[1].utf8)))
        )
    }

    @Test("JAR-01: Claims")
    func JAR_01_claims() async throws {
        try await accept(in: flow(try ClientKey.generate(.ES256))) { _, outcome in
            let (_, header, claims) = try request(outcome)
            #expect(header["typ"] == "oauth-authz-req+jwt")
            #expect(claims["iss"]?.string == Scenario.clientID)
            #expect(claims["aud"]?.string == Scenario.issuer)
            let (from, until) = (claims["nbf"]?.integer ?? 0, claims["exp"]?.integer ?? .max)
            #expect((1...3600).contains(until - from))
            #expect(claims["jti"]?.string?.utf8.count ?? 0 >= 22)
            for name in ["sub", "request", "request_uri"] { #expect(claims[name] == nil) }
        }
    }

    @Test("JAR-02: Numbers are numbers")
    func JAR_02_numbersAreNumbers() async throws {
        let flow = flow(try ClientKey.generate(.ES256)).with { $0.authentication = .init(maxAge: 300) }
            .served { $0.idToken.claims["auth_time"] = "{now}" }
        try await accept(in: flow) { _, outcome in
            let (_, _, claims) = try request(outcome)
            #expect(claims["max_age"] == 300)
            for name in ["iat", "nbf", "exp"] { #expect(claims[name]?.integer != nil) }
        }
    }

    @Test("JAR-03: Nothing outside differs")
    func JAR_03_nothingOutsideDiffers() async throws {
        try await accept(in: flow(try ClientKey.generate(.ES256))) { _, outcome in
            let (outside, _, claims) = try request(outcome)
            #expect(Set(outside.keys) == ["client_id", "request"])
            for (name, value) in outside where name != "request" { #expect(claims[name]?.string == value) }
            for name in ["state", "nonce", "code_challenge", "redirect_uri", "scope", "response_type"] {
                #expect(claims[name]?.string?.isEmpty == false, "\(name)")
            }
        }
    }

    // MARK: - Introspection

    private static let introspection = Flow(isSignedIn: true) { scenario, outcome in
        let introspection = try await outcome.session?.introspect()
        scenario.output.add(introspection?.isActive == true ? "active" : "inactive")
    }

    @Test("INTR-01: Active is a boolean")
    func INTR_01_activeIsABoolean() async throws {
        try await AttackTests.refuse(.introspection, .missingField, in: Self.introspection) {
            $0.introspection["active"] = nil
        }
        try await AttackTests.refuse(
            .introspection, .wrongFieldType, in: Self.introspection, each: ["true", 1, .null, [true]] as [JSONValue]
        ) { $0.introspection["active"] = $1 }
        try await accept(in: Self.introspection) {
            $0.introspection["active"] = false
        } check: { scenario, _ in
            #expect(scenario.output.text.contains("inactive"))
        }
    }

    @Test("INTR-02: Claims of an active token")
    func INTR_02_claimsOfAnActiveToken() async throws {
        try await AttackTests.refuse(.introspection, .issuerMismatch, in: Self.introspection) {
            $0.introspection["iss"] = "https://evil.example"
        }
        try await AttackTests.refuse(
            .introspection, .wrongFieldType, in: Self.introspection,
            each: [("exp", "x"), ("exp", -1), ("nbf", true), ("sub", 5), ("scope", []), ("exp", .number("1e300"))]
                as [(String, JSONValue)]
        ) { $0.introspection[$1.0] = $1.1 }
        try await accept(in: Self.introspection) {
            $0.introspection["exp"] = 1
        } check: { scenario, _ in
            #expect(scenario.output.text.contains("inactive"))
        }
        try await accept(in: Self.introspection) {
            $0.introspection["exp"] = .number("1796152621.685867")
        } check: { scenario, _ in
            #expect(scenario.output.text.contains("active"))
        }
    }

    @Test("INTR-03: Signed response")
    func INTR_03_signedResponse() async throws {
        let response: Token = {
            var token = Token()
            token.header["typ"] = "token-introspection+jwt"
            token.claims = JSONObject()
            token.claims["iss"] = .string(Scenario.issuer)
            token.claims["aud"] = .string(Scenario.clientID)
            token.claims["iat"] = "{now}"
            token.claims["token_introspection"] = ["active": true]
            return token
        }()
        let flow = Self.introspection.adding("introspection: { jwt: [RS256] }").served { script in
            script.introspection.headers = [("Content-Type", "application/token-introspection+jwt")]
            script.introspection.signed = response
        }
        let changes: [(OAuthError.Kind, @Sendable (inout Token) -> Void)] = [
            (.wrongTokenUse, { $0.header["typ"] = "JWT" }), (.badSignature, { $0.key = .otherRSA }),
            (.unsupportedAlgorithm, { $0.header["alg"] = "none" }), (.audienceMismatch, { $0.claims["aud"] = "other" }),
            (.issuerMismatch, { $0.claims["iss"] = "https://evil.example" }),
            (.missingField, { $0.claims["token_introspection"] = nil }),
        ]
        for (kind, change) in changes {
            try await AttackTests.refuse(.introspection, kind, in: flow, mayRequest: ["/jwks"]) { script in
                var changed = response
                change(&changed)
                script.introspection.signed = changed
            }
        }
        try await AttackTests.refuse(.introspection, .unexpectedContentType, in: flow) {
            $0.introspection.signed = nil
            $0.introspection.headers = [("Content-Type", "application/json")]
        }
    }

    @Test("INTR-04: Nothing is kept")
    func INTR_04_nothingIsKept() async throws {
        let scenario = Scenario()
        let session = try await Flow.signIn.client(of: scenario).signIn(at: scenario)
        #expect(try await session.introspect().isActive)
        scenario.change { $0.introspection["active"] = false }
        #expect(try await session.introspect().isActive == false)
    }

    @Test("INTR-05: Refusal is not inactive")
    func INTR_05_refusalIsNotInactive() async throws {
        try await AttackTests.refuse(.introspection, .serverError, in: Self.introspection) {
            $0.introspection = .error("invalid_client", status: 401)
        }
        try await AttackTests.refuse(.introspection, .serverUnavailable, in: Self.introspection) {
            $0.introspection = .error("server_error", status: 503)
        }
    }

    // MARK: - Signed profiles

    @Test("UI-04: Signed profile")
    func UI_04_signedProfile() async throws {
        let profile: Token = {
            var token = Token()
            token.claims = JSONObject()
            token.claims["sub"] = "user-1"
            return token
        }()
        let flow = Flow.profile.adding("profile: { jwt: [RS256] }").served { script in
            script.userinfo.headers = [("Content-Type", "application/jwt; charset=utf-8")]
            script.userinfo.signed = profile
        }
        let changes: [(OAuthError.Kind, @Sendable (inout Token) -> Void)] = [
            (.unsupportedAlgorithm, { $0.header["alg"] = "none" }), (.badSignature, { $0.key = .otherRSA }),
            (.issuerMismatch, { $0.claims["iss"] = "https://evil.example" }),
            (.audienceMismatch, { $0.claims["aud"] = "other" }), (.audienceMismatch, { $0.claims["aud"] = ["other"] }),
            (.expiredToken, { $0.claims["exp"] = "{now-3600}" }), (.subjectMismatch, { $0.claims["sub"] = "user-2" }),
            (.missingField, { $0.claims["sub"] = nil }), (.wrongTokenUse, { $0.header["typ"] = "at+jwt" }),
            (
                .unsupportedAlgorithm,
                { token in
                    token.header["alg"] = "RS512"
                    token.algorithm = "RS512"
                }
            ),
        ]
        for (kind, change) in changes {
            try await AttackTests.refuse(.profile, kind, in: flow, mayRequest: ["/jwks"]) { script in
                var changed = profile
                change(&changed)
                script.userinfo.signed = changed
            }
        }
        try await AttackTests.refuse(.profile, .unexpectedContentType, in: flow) {
            $0.userinfo.signed = nil
            $0.userinfo.headers = [("Content-Type", "application/json")]
        }
        // The signature decides, not how the server calls the body.
        try await accept(in: flow) {
            $0.userinfo.headers = [("Content-Type", "text/plain")]
        } check: { _, outcome in
            #expect(outcome.profile != nil)
        }
    }
}
