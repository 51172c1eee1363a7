import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

@Suite("JWT bearer")
struct JWTBearerTests {
    private func request(
        _ grant: ClientGrant, _ keys: String = "", secret: String? = nil, hasKey: Bool = true
    ) throws -> PreparedRequest {
        try grant.request(
            in: RequestContext(
                at: try Fixture.provider(Fixture.plain + keys),
                as: ClientRegistration(
                    clientID: "client",
                    credentials: .available(
                        secret: secret.map { Secret($0) },
                        signingKey: hasKey ? try ClientKey.generate(.ES256, id: "k1") : nil),
                    redirectURI: Attempt.redirectURI), random: SeededRandomSource(seed: 9), now: Attempt.now))
    }

    private func claims(_ request: PreparedRequest) throws -> JSONValue {
        let part = try #require(request.form["assertion"]).split(separator: ".")[1]
        let text = part.replacing("-", with: "+").replacing("_", with: "/")
        let bytes = try #require(
            Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4)))
        return try JSONValue(parsing: Array(bytes))
    }

    @Test("Client signs about somebody")
    func clientSignsAboutSomebody() throws {
        let request = try request(ClientGrant.assertion(subject: "ada", scopes: ["read"], resource: ["urn:a"]))
        #expect(request.form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer")
        #expect(request.form["scope"] == "read" && request.form["resource"] == "urn:a")
        #expect(request.form["client_id"] == "client", "a public client may have a key for this")
        let claims = try claims(request)
        #expect(claims["iss"] == "client" && claims["sub"] == "ada" && claims["aud"] == "https://plain.example/token")
        let issued = try #require(claims["iat"]?.integer)
        #expect(claims["exp"]?.integer == issued + 60 && claims["jti"]?.string?.count == 43)
        #expect(!request.redacted.body.contains("eyJ"))
    }

    @Test("Descriptor says what is in it")
    func descriptorSaysWhatIsInIt() throws {
        let request = try request(
            ClientGrant.assertion(scopes: ["read", "write"]),
            """
            jwt_bearer:
              omit: [client_id]
              scope_in: assertion
              assertion: { issuer: robot@acme.example, subject: robot@acme.example, lifetime: 300, claims: { v: '2' } }

            """)
        #expect(request.form.keys.sorted() == ["assertion", "grant_type"])
        let claims = try claims(request)
        #expect(claims["iss"] == "robot@acme.example" && claims["sub"] == "robot@acme.example" && claims["v"] == "2")
        #expect(claims["scope"] == "read write")
    }

    @Test("A header has parameters of the request, also those that are left out, and shows none of them")
    func headerHasParameters() throws {
        let request = try request(
            ClientGrant.assertion(Secret("a.b.c"), scopes: ["read"]),
            """
            jwt_bearer:
              omit: [assertion, grant_type]
              rename: { scope: rights }
              headers:
                Authorization: "Bearer {request.assertion}"
                X-Wrapped: "{base64(request.assertion)}"
                X-Wanted: "{request.scope} {request.grant_type}"
                X-Missing: "{request.client_secret}"

            """)
        #expect(request.form.keys.sorted() == ["client_id", "rights"])
        #expect(request.header("Authorization") == "Bearer a.b.c" && request.header("X-Missing") == nil)
        #expect(request.header("X-Wanted") == "read urn:ietf:params:oauth:grant-type:jwt-bearer")
        #expect(request.header("X-Wrapped") == "YS5iLmM=")
        let shown = "\(request.redacted)"
        #expect(!shown.contains("a.b.c") && !shown.contains("YS5iLmM"))
        #expect(request.secrets.contains(Secret("a.b.c")), "an error may repeat it")
    }

    @Test("Given assertion goes as it is")
    func givenAssertionGoesAsItIs() throws {
        let request = try request(ClientGrant.assertion(Secret("a.b.c")), secret: "s", hasKey: false)
        #expect(request.form["assertion"] == "a.b.c")
        #expect(request.header("Authorization")?.hasPrefix("Basic ") == true)
        #expect(!request.redacted.body.contains("a.b.c"))
    }

    @Test("Client without a key is reported")
    func clientWithoutAKeyIsReported() {
        expectError(.jwtBearer, .missingClientKey) { try request(ClientGrant.assertion(), hasKey: false) }
    }

    @Test("Response has neither a refresh token nor an ID token")
    func responseHasNeitherARefreshTokenNorAnIDToken() throws {
        let grant = ClientGrant.assertion(scopes: ["read"])
        let request = try request(grant)
        let body = #"{"access_token":"at","token_type":"Bearer","expires_in":60,"refresh_token":"r","id_token":"i"}"#
        let provider = try Fixture.provider(Fixture.plain)
        let response = try TokenResponse(validating: .json(body), to: request, from: provider)
        let tokens = TokenSet(ofGrantWithoutUser: response, requested: grant.scopes, now: Attempt.now)
        #expect(tokens.accessToken.reveal() == "at" && tokens.scopes == ["read"])
        #expect(tokens.refreshToken == nil && tokens.idToken == nil, "nobody has validated it")
        let error = expectError(.jwtBearer, .serverError) {
            try TokenResponse(
                validating: .json(
                    #"{"error":"invalid_grant","error_description":"echo: \#(request.form["assertion"] ?? "")"}"#,
                    status: 400),
                to: request, from: provider)
        }
        #expect(error?.server?.message?.contains("eyJ") == false)
    }
}
