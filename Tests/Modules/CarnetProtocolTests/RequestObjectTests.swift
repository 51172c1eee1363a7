import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

@Suite("Request object")
struct RequestObjectTests {
    private static let keys = Fixture.openID + "client: { authentication: [private_key_jwt] }\n"

    /// A sign-in's request with the JWT in it.
    private struct Signed {
        let request: AuthorizationRequest
        let header: JSONValue
        let claims: JSONValue
        let outside: [String: String]

        init(_ yaml: String, _ options: AuthorizationOptions = AuthorizationOptions(delivery: .init(isSigned: true)))
            throws
        {
            request = try Self.request(yaml, options)
            var sent = decodedForm(request.url.split(separator: "?").dropFirst().joined(separator: "?"))
            let signed = sent.removeValue(forKey: "request")
            let token = try #require(signed)
            let parts = token.split(separator: ".").map { part in
                let text = part.replacing("-", with: "+").replacing("_", with: "/")
                return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4)) ?? Data()
            }
            header = try JSONValue(parsing: Array(parts[0]))
            claims = try JSONValue(parsing: Array(parts[1]))
            outside = sent
        }

        static func request(
            _ yaml: String, _ options: AuthorizationOptions, key: ClientKey? = nil, hasKey: Bool = true
        ) throws -> AuthorizationRequest {
            let signingKey = hasKey ? try key ?? ClientKey.generate(.ES256, id: "k1") : nil
            return try AuthorizationRequest(
                to: try Fixture.provider(yaml).discovered,
                as: ClientRegistration(
                    clientID: "client", credentials: .available(signingKey: signingKey),
                    redirectURI: Attempt.redirectURI),
                options: options, random: SeededRandomSource(seed: 1), now: Attempt.now)
        }
    }

    // JAR-01.
    @Test("Names client server and times and is no other kind of token")
    func namesClientServerAndTimesAndIsNoOtherKindOfToken() throws {
        let signed = try Signed(Self.keys)
        #expect(signed.header == ["alg": "ES256", "typ": "oauth-authz-req+jwt", "kid": "k1"])
        #expect(signed.claims["iss"] == "client" && signed.claims["client_id"] == "client")
        #expect(signed.claims["aud"] == "https://id.acme.example")
        let start = try #require(signed.claims["nbf"]?.integer)
        #expect(signed.claims["iat"]?.integer == start && signed.claims["exp"]?.integer == start + 600)
        #expect(signed.claims["jti"]?.string?.count == 43)
        for name in ["sub", "request", "request_uri"] { #expect(signed.claims[name] == nil) }
        #expect(signed.claims["state"]?.string == signed.request.pending.id.reveal())
    }

    // JAR-01: as long as the sign-in, and an hour at most.
    @Test("Is good for as long as the sign-in", arguments: [(60, 60), (7200, 3600)])
    func isGoodForAsLongAsTheSignIn(_ wanted: Int, _ lasting: Int) throws {
        let signed = try Signed(
            Self.keys, AuthorizationOptions(delivery: .init(isSigned: true), lifetime: TimeInterval(wanted)))
        let start = try #require(signed.claims["nbf"]?.integer)
        #expect(signed.claims["exp"]?.integer == start + lasting)
    }

    // JAR-03: nothing but the client's id stands outside.
    @Test("Nothing is said twice")
    func nothingIsSaidTwice() throws {
        let signed = try Signed(Self.keys)
        #expect(signed.outside == ["client_id": "client"])
        #expect(!signed.request.redactedURL.contains("eyJ"))
    }

    // JAR-03: what a server wants outside too is the same there.
    @Test("Repeated parameters are equal")
    func repeatedParametersAreEqual() throws {
        let signed = try Signed(
            Self.keys + "authorization: { request_object: { use: always, repeat: [response_type, scope] } }\n",
            AuthorizationOptions())
        #expect(signed.outside.keys.sorted() == ["client_id", "response_type", "scope"])
        for (name, value) in signed.outside { #expect(signed.claims[name]?.string == value) }
    }

    // JAR-02.
    @Test("Claims have the types of their specifications")
    func claimsHaveTheTypesOfTheirSpecifications() throws {
        let signed = try Signed(
            Self.keys,
            AuthorizationOptions(
                access: .init(
                    resource: ["urn:a", "urn:b"], authorizationDetails: [["type": "payment"]],
                    claims: (["id_token": ["acr": .null]] as JSONValue).object), authentication: .init(maxAge: 0),
                delivery: .init(isSigned: true)))
        #expect(signed.claims["max_age"] == 0)
        #expect(signed.claims["resource"] == ["urn:a", "urn:b"])
        #expect(signed.claims["authorization_details"] == [["type": "payment"]])
        #expect(signed.claims["claims"] == ["id_token": ["acr": .null]])
        #expect(signed.claims["redirect_uri"] == .string(Attempt.redirectURI))
    }

    @Test("Pushed request has the signed one alone")
    func pushedRequestHasTheSignedOneAlone() throws {
        let yaml = Self.keys.replacing(
            "endpoints:\n", with: "endpoints:\n  pushed_authorization_request: https://id.acme.example/par\n")
        let provider = try Fixture.provider(yaml)
        let key = try ClientKey.generate(.ES256)
        let request = try Signed.request(yaml, AuthorizationOptions(delivery: .init(isSigned: true)), key: key)
        let push = try request.pushing(
            in: RequestContext(
                at: provider.discovered,
                as: ClientRegistration(
                    clientID: "client", credentials: .available(signingKey: key), redirectURI: Attempt.redirectURI),
                random: SeededRandomSource(seed: 2), now: Attempt.now))
        #expect(push.form.keys.sorted() == ["client_assertion", "client_assertion_type", "client_id", "request"])
        #expect(!push.redacted.body.contains("eyJ"))
    }

    @Test("Rules of the descriptor count")
    func rulesOfTheDescriptorCount() throws {
        let signed = try Signed(
            Self.keys
                + "authorization: { request_object: { use: always, audience: urn:acme, lifetime: 300 } }\n",
            AuthorizationOptions(delivery: .init(isSigned: false)))
        #expect(signed.claims["aud"] == "urn:acme")
        let start = try #require(signed.claims["nbf"]?.integer)
        #expect(signed.claims["exp"]?.integer == start + 300)
        let never = try Signed.request(
            Self.keys + "authorization: { request_object: never }\n",
            AuthorizationOptions(delivery: .init(isSigned: true)))
        #expect(!never.url.contains("request="))
    }

    @Test("Metadata may demand it")
    func metadataMayDemandIt() throws {
        let provider = try Fixture.resolved(Self.keys)
        let metadata = try ProviderMetadata(
            validating: .json(
                #"{"issuer":"https://id.acme.example","require_signed_request_object":true,"#
                    + #""request_object_signing_alg_values_supported":["none","PS256"]}"#), for: provider)
        let demanding = provider.merging(metadata)
        #expect(demanding.authorization.requestObject.isUsed(wanted: nil))
        #expect(demanding.authorization.requestObject.announcedAlgorithms == [.PS256], "none is never among them")
        expectError(.configuration, .badRegistration) {
            try AuthorizationRequest(
                to: demanding,
                as: ClientRegistration(
                    clientID: "client", credentials: .available(signingKey: try ClientKey.generate(.ES256)),
                    redirectURI: Attempt.redirectURI),
                random: SeededRandomSource(seed: 1), now: Attempt.now)
        }
    }

    @Test("A client without a key is reported")
    func aClientWithoutAKeyIsReported() {
        expectError(.authorization, .missingClientKey) {
            try Signed.request(
                Fixture.openID, AuthorizationOptions(delivery: .init(isSigned: true)), hasKey: false)
        }
    }

    @Test("A parameter cannot become a claim of the request itself")
    func aParameterCannotBecomeAClaimOfTheRequestItself() {
        expectError(.authorization, .reservedParameter) {
            try Signed(
                Self.keys, AuthorizationOptions(delivery: .init(isSigned: true), parameters: ["sub": "somebody"]))
        }
    }
}
