import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

/// Authorization responses that the server signs (JWT Secured Authorization Response Mode).
@Suite("Signed callback")
struct SignedCallbackTests {
    private static func yaml(_ mode: String, _ callback: String = "{ jwt: [RS256] }") -> String {
        Fixture.openID + "authorization: { response_mode: \(mode) }\ncallback: \(callback)\n"
    }

    private static let seconds = 1_767_225_600

    private func claims(_ attempt: Attempt, changing changes: [String: JSONValue?] = [:]) -> JSONValue {
        var claims = JSONObject()
        claims["iss"] = "https://id.acme.example"
        claims["aud"] = "client"
        claims["exp"] = .number(String(Self.seconds + 600))
        claims["code"] = "the-code"
        claims["state"] = .string(attempt.state)
        for (name, value) in changes { claims[name] = value }
        return .object(claims)
    }

    private func token(
        _ attempt: Attempt, changing changes: [String: JSONValue?] = [:], header: [String: JSONValue] = [:]
    ) throws -> String {
        try SigningKey.rsa.token(
            claims(attempt, changing: changes), algorithm: "RS256", keyID: "1", header: header)
    }

    @discardableResult
    private func validate(
        _ attempt: Attempt, _ token: String, decryptingWith keys: [ClientKey] = [], also query: String = ""
    ) throws -> ValidatedCallback {
        try validate(attempt, attempt.callback("response=\(token)\(query)"), decryptingWith: keys)
    }

    @discardableResult
    private func validate(
        _ attempt: Attempt, _ callback: AuthorizationCallback, decryptingWith keys: [ClientKey] = []
    ) throws -> ValidatedCallback {
        let keySet = try JSONWebKeySet(
            validating: .json((["keys": [try SigningKey.rsa.jwk(["kid": "1"])]] as JSONValue).jsonText()))
        var registration = attempt.registration
        registration.decryptionKeys = keys
        return try attempt.pending.validate(
            callback, from: attempt.provider.discovered, now: Attempt.now + 1,
            verifyingBy: ResponseVerification(with: keySet, for: registration, now: Attempt.now + 1))
    }

    @Test("Is believed by its signature", arguments: ["jwt", "query.jwt"])
    func isBelievedByItsSignature(_ mode: String) throws {
        let attempt = try Attempt(Self.yaml(mode))
        #expect(attempt.sent["response_mode"] == mode)
        let token = try token(attempt)
        #expect(attempt.pending.matches(attempt.callback("response=\(token)")))
        let validated = try validate(attempt, token)
        let request = try TokenRequest.authorizationCode(validated, at: attempt.provider, as: attempt.registration)
        #expect(request.form["code"] == "the-code")
    }

    @Test("May come as a form or in the fragment")
    func mayComeAsAFormOrInTheFragment() throws {
        let form = try Attempt(Self.yaml("form_post.jwt"))
        let posted = AuthorizationCallback(
            postedTo: form.pending.redirectURI, form: "response=\(try token(form))")
        #expect(form.pending.matches(posted))
        try validate(form, posted)
        let fragment = try Attempt(Self.yaml("fragment.jwt"))
        let inFragment = AuthorizationCallback(
            url: "\(fragment.pending.redirectURI)#response=\(try token(fragment))")
        #expect(fragment.pending.matches(inFragment))
        try validate(fragment, inFragment)
        expectError(.callback, .malformedCallback) {
            try validate(fragment, try token(fragment))
        }
        let query = try Attempt(Self.yaml("query.jwt"))
        expectError(.callback, .malformedCallback) {
            try validate(
                query,
                AuthorizationCallback(postedTo: query.pending.redirectURI, form: "response=\(try token(query))"))
        }
    }

    // ARES-20: what the signature, the algorithm or the type is not right of.
    @Test("Is rejected unsigned or signed by another")
    func isRefusedUnsignedOrSignedByAnother() throws {
        let attempt = try Attempt(Self.yaml("jwt"))
        let claims = claims(attempt).jsonText()
        for header in [#"{"alg":"none"}"#, #"{"alg":"HS256"}"#] {
            expectError(.callback, .unsupportedAlgorithm) {
                try validate(attempt, SigningKey.signingInput(header, claims) + ".")
            }
        }
        expectError(.callback, .badSignature) {
            try validate(
                attempt, SigningKey.otherRSA.token(self.claims(attempt), algorithm: "RS256", keyID: "1"))
        }
        expectError(.callback, .keyNotFound) {
            try validate(attempt, SigningKey.rsa.token(self.claims(attempt), algorithm: "RS256", keyID: "2"))
        }
        expectError(.callback, .unsupportedAlgorithm) {
            try validate(attempt, SigningKey.rsa.token(self.claims(attempt), algorithm: "PS256", keyID: "1"))
        }
        for type in ["at+jwt", "logout+jwt", "oauth-authz-req+jwt"] {
            expectError(.callback, .wrongTokenUse) {
                try validate(attempt, try token(attempt, header: ["typ": .string(type)]))
            }
        }
    }

    // ARES-20: issuer, audience and end.
    @Test(
        "Claims must be those of this sign-in",
        arguments: [
            (["iss": nil], .missingField), (["iss": "https://attacker.example"], .issuerMismatch),
            (["iss": "https://id.acme.example/"], .issuerMismatch), (["iss": 1], .wrongFieldType),
            (["aud": nil], .missingField), (["aud": "another"], .audienceMismatch),
            (["aud": ["another", "third"]], .audienceMismatch), (["aud": ["client", 1]], .wrongFieldType),
            (["exp": nil], .missingField),
            (["exp": 1_767_225_500], .expiredToken), (["exp": "soon"], .wrongFieldType),
            (["nbf": 1_767_229_200], .notYetValid), (["iat": 1_767_229_200], .issuedInFuture),
            (["state": nil], .missingState), (["state": "another"], .stateMismatch), (["code": nil], .missingCode),
        ] as [([String: JSONValue?], OAuthError.Kind)])
    func claimsMustBeThoseOfThisSignIn(_ changes: [String: JSONValue?], _ kind: OAuthError.Kind) throws {
        let attempt = try Attempt(Self.yaml("jwt"))
        let token = try token(attempt, changing: changes)
        expectError(.callback, kind) { try validate(attempt, token) }
    }

    // ARES-20: plain where signed was asked for, and the other way round.
    @Test("Is never mixed with a plain one")
    func isNeverMixedWithAPlainOne() throws {
        let attempt = try Attempt(Self.yaml("jwt"))
        let plain = "code=c&state=\(attempt.state)&iss=https%3A%2F%2Fid.acme.example"
        #expect(!attempt.pending.matches(attempt.callback(plain)))
        expectError(.callback, .malformedCallback) { try validate(attempt, attempt.callback(plain)) }
        let token = try token(attempt)
        for other in ["&code=c", "&state=\(attempt.state)", "&error=x", "&iss=x", "&id_token=x"] {
            expectError(.callback, .malformedCallback) { try validate(attempt, token, also: other) }
        }
        expectError(.callback, .duplicateParameter) { try validate(attempt, token, also: "&response=\(token)") }
        let asked = try Attempt()
        let signed = try self.token(asked)
        #expect(!asked.pending.matches(asked.callback("response=\(signed)")))
        expectError(.callback, .missingState) { try validate(asked, signed) }
    }

    @Test("An error is believed only if it is signed")
    func anErrorIsBelievedOnlyIfItIsSigned() throws {
        let attempt = try Attempt(Self.yaml("jwt"))
        let denied = try token(attempt, changing: ["code": nil, "error": "access_denied"])
        let error = expectError(.callback, .serverError) { try validate(attempt, denied) }
        #expect(error?.server?.code == "access_denied")
    }

    @Test("State comes before the keys")
    func stateComesBeforeTheKeys() throws {
        let attempt = try Attempt(Self.yaml("jwt"))
        let forged = try SigningKey.otherRSA.token(
            claims(attempt, changing: ["state": "x"]), algorithm: "RS256", keyID: "unknown")
        expectError(.callback, .stateMismatch) { try validate(attempt, forged) }
    }

    @Test("Host may ask for it where the descriptor leaves the choice")
    func hostMayAskForItWhereTheDescriptorLeavesTheChoice() throws {
        let attempt = try Attempt(options: AuthorizationOptions(delivery: .init(responseMode: .jwt)))
        #expect(attempt.sent["response_mode"] == "jwt")
        try validate(attempt, try token(attempt))
        expectError(.authorization, .badRegistration) {
            try Attempt(Self.yaml("jwt"), options: AuthorizationOptions(delivery: .init(responseMode: .query)))
        }
        let restored = try JSONDecoder().decode(
            PendingAuthorization.self, from: JSONEncoder().encode(attempt.pending))
        #expect(restored == attempt.pending && restored.hasSignedResponse(at: attempt.provider))
    }

    @Test("Algorithms are those of the descriptor or the metadata")
    func algorithmsAreThoseOfTheDescriptorOrTheMetadata() throws {
        let provider = try Fixture.resolved()
        #expect(provider.algorithms(of: provider.callback.jwt) == [.RS256])
        let metadata = try ProviderMetadata(
            validating: .json(
                #"{"issuer":"https://id.acme.example","authorization_signing_alg_values_supported":["none","ES256"]}"#),
            for: provider)
        let announced = provider.merging(metadata)
        #expect(announced.algorithms(of: announced.callback.jwt) == [.ES256])
        let pinned = try Fixture.resolved(Self.yaml("jwt")).merging(metadata)
        #expect(pinned.algorithms(of: pinned.callback.jwt) == [.RS256])
    }
}
