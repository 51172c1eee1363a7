import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetOpenAPI
import Testing

/// What a draft takes from the operations of an API's description. Each document is a part of a published one.
@Suite("Profile of an OpenAPI document")
struct OpenAPIProfileTests {
    private func draft(
        _ text: String, checkedElsewhere: [String] = []
    ) throws -> (text: String, descriptor: ProviderDescriptor, messages: [String]) {
        let imported = try OpenAPIImport(
            SourceFile(path: "api.yaml", text: text),
            OpenAPIImport.Options(checkedElsewhere: checkedElsewhere, id: "acme"))
        let file = SourceFile(path: "acme.yaml", text: imported.draft)
        #expect(Linter().diagnostics(in: [file]).map(\.summary) == [], "\(imported.draft)")
        // Nobody named such a host.
        #expect(!imported.draft.contains("api.acme.example"), "\(imported.draft)")
        return (
            imported.draft, try #require(DescriptorDocument(file).descriptor), imported.findings.sorted.map(\.message)
        )
    }

    private static let flow = """
        components:
          securitySchemes:
            acme:
              type: oauth2
              flows:
                authorizationCode:
                  authorizationUrl: https://id.acme.test/authorize
                  tokenUrl: https://id.acme.test/token
                  scopes: { identify: Who you are, "files:read": "files:read" }

        """

    @Test("The operation /me is the profile, with its scope and the members of its schema")
    func me() throws {
        let (text, descriptor, _) = try draft(
            """
            openapi: 3.1.0
            info: { title: Acme, version: "1" }
            servers: [{ url: https://api.acme.test/v1 }]
            \(Self.flow)
              schemas:
                User: { allOf: [{ $ref: "#/components/schemas/Base" }, { properties: { email: { type: string } } }] }
                Base: { type: object, properties: { handle: { type: string }, id: { type: string } } }
              responses:
                Me: { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/User" } } } }
            paths:
              /teams/{team}/me: { get: { security: [{ acme: ["files:read"] }] } }
              /files: { get: { security: [{ acme: ["files:read"] }] } }
              /users/@me:
                get: { security: [{ acme: [identify] }], responses: { "200": { $ref: "#/components/responses/Me" } } }

            """)
        #expect(descriptor.endpoints[.userinfo]?.source == "https://api.acme.test/v1/users/@me")
        #expect(descriptor.scopes.defaults == ["identify"])
        #expect(
            descriptor.profile.claims.items.map { "\($0.name) \($0.value.pointers[0])" } == [
                "subject /id", "name /handle", "email /email",
            ])
        for key in ["userinfo", "default", "subject", "name", "email"] {
            #expect(text.contains(try Regex("\n +\(key): .* # guessed")), "\(text)")
        }
        // A title that repeats the scope says nothing.
        #expect(descriptor.scopes.catalog.map(\.title) == ["Who you are", nil])
    }

    @Test(
        "Other names of such an operation",
        arguments: [
            ("/v2/me.json", "get"), ("/whoami", "get"), ("/api/getuser", "get"), ("/users.identity", "get"),
            ("/user", "get"), ("/2/users/get_current_account", "post"), ("/oauth2/userinfo", "get"),
            ("/currentUser", "get"), ("/user_account", "get"), ("/user/profile", "get"), ("/account", "get"),
        ])
    func names(path: String, method: String) throws {
        let (text, descriptor, _) = try draft(
            """
            openapi: 3.0.0
            servers: [{ url: https://api.acme.test }]
            \(Self.flow)paths:
              /home: { get: { security: [{ acme: [] }] } }
              \(path): { \(method): { summary: Get your data, security: [{ acme: [] }] } }

            """)
        #expect(text.contains("  method: POST # guessed\n") == (method == "post"), "\(text)")
        #expect(descriptor.endpoints[.userinfo]?.source == "https://api.acme.test\(path)")
        // Without a schema, the usual places are guessed.
        #expect(descriptor.profile.claims["subject"]?.pointers.map(\.description) == ["/id"])
    }

    @Test("A profile in Swagger 2.0, inside other objects")
    func swagger() throws {
        let (_, descriptor, _) = try draft(
            """
            swagger: "2.0"
            host: api.acme.test
            basePath: /api
            securityDefinitions:
              code_oauth: { type: oauth2, flow: accessCode, authorizationUrl: "https://api.acme.test/a", tokenUrl: "https://api.acme.test/t", scopes: { read: "" } }
            definitions:
              Answer: { properties: { status: { type: string }, body: { $ref: "#/definitions/Body" } } }
              Body: { properties: { devices: { type: array }, user: { properties: { _id: {}, mail: {} } } } }
            paths:
              /getuser: { get: { security: [{ code_oauth: [read] }], responses: { "200": { description: ok, schema: { $ref: "#/definitions/Answer" } } } } }

            """)
        #expect(descriptor.endpoints[.userinfo]?.source == "https://api.acme.test/api/getuser")
        #expect(
            descriptor.profile.claims.items.map { "\($0.name) \($0.value.pointers[0])" } == [
                "subject /body/user/_id", "email /body/user/mail",
            ])
    }

    @Test("Without such an operation, or a host, no profile is invented")
    func nothing() throws {
        for (servers, path) in [("servers: [{ url: https://api.acme.test }]", "/users/{id}"), ("", "/me")] {
            let (text, descriptor, _) = try draft(
                "openapi: 3.0.0\n\(servers)\n\(Self.flow)paths:\n  \(path): { get: { security: [{ acme: [] }] } }\n")
            #expect(descriptor.endpoints[.userinfo] == nil)
            #expect(descriptor.profile.subject != nil && text.contains("\nprofile: # guessed"), "\(text)")
        }
        // What anybody may read is nobody's profile.
        let (_, open, _) = try draft(
            """
            openapi: 3.0.0
            servers: [{ url: https://api.acme.test }]
            \(Self.flow)paths:
              /me: { get: { security: [] } }
              /a: { get: { security: [{ acme: [] }] } }

            """)
        #expect(open.endpoints[.userinfo] == nil)
    }

    @Test(
        "Another operation is no profile, and the draft says why",
        arguments: [
            ("/me: { get: { security: [] } }", "GET /me needs no token"),
            ("/me: { get: { security: [{ pat: [] }] } }", "no token of acme is enough for GET /me"),
            ("/api/account: { $ref: ./account.yaml }", "/api/account has no operation in this document"),
            ("/me: { get: { $ref: ./me.yaml } }", "GET /me is in another document"),
            ("/account: { get: { security: [{ acme: [] }] } }", "nothing says that GET /account returns the user"),
            (
                "/account: { get: { summary: Catalogged seats assigned, description: As designed, security: [{ acme: [] }] } }",
                "nothing says that GET /account returns the user"
            ),
            (
                "/me: { servers: [{ url: http://api.acme.test }], get: { security: [{ acme: [] }] } }",
                "GET /me is at http://"
            ),
            (
                "/user: { post: { summary: Create user, security: [{ acme: [] }] } }",
                "the document has no operation such as GET /me"
            ),
            (
                "/userinfo: { post: { requestBody: { required: true }, security: [{ acme: [] }] } }",
                "no operation such as"
            ),
        ])
    func gaps(path: String, reason: String) throws {
        let (text, descriptor, _) = try draft(
            """
            openapi: 3.0.0
            servers: [{ url: https://api.acme.test }]
            \(Self.flow)    pat: { type: http, scheme: bearer }
            paths:
              /a: { get: { security: [{ acme: [] }] } }
              \(path)

            """)
        #expect(descriptor.endpoints[.userinfo] == nil && text.contains(reason), "\(text)")
    }

    @Test("Operations of the authorization server are endpoints, as guesses")
    func endpoints() throws {
        let (text, descriptor, _) = try draft(
            """
            openapi: 3.0.0
            servers: [{ url: https://api.acme.test/v1 }]
            \(Self.flow)paths:
              /me: { get: { security: [{ acme: [] }] } }
              /oauth2/revoke: { post: { security: [] } }
              /oauth2/introspect: { post: { security: [] } }
              /oauth2/device/auth: { post: { security: [] } }
              /invitations/revoke: { post: { security: [{ acme: [] }] } }
              /oauth2/jwks: { get: { security: [] } }

            """)
        let found = [EndpointName.revocation, .introspection, .deviceAuthorization].map {
            descriptor.endpoints[$0]?.source
        }
        #expect(
            found == ["revoke", "introspect", "device/auth"].map { "https://api.acme.test/v1/oauth2/" + $0 }, "\(text)")
        #expect(
            text.contains("revoke\" # guessed: POST /oauth2/revoke\n")
                && text.contains("have /oauth2/jwks: write the issuer"))
    }

    @Test("A header is an input with what its schema says, and an API key besides each token a secret one")
    func headerInputs() throws {
        let (_, descriptor, _) = try draft(
            """
            openapi: 3.0.0
            servers: [{ url: https://api.acme.test }]
            \(Self.flow)    key: { type: apiKey, in: header, name: X-Api-Key }
              schemas: { Version: { type: string, enum: ["2026"] } }
            security: [{ acme: [], key: [] }]
            paths:
              /a:
                parameters:
                  - { in: header, name: Acme-Version, required: true, schema: { $ref: "#/components/schemas/Version" } }
                  - { in: header, name: X_Team, required: true, schema: { type: string, enum: [a, b] } }
                  - { in: header, name: X-Place, required: true, example: here, schema: { type: string } }
                  - { in: header, name: X-Pin, required: true, schema: { type: string, format: password } }
                  - { in: header, name: User-Agent, required: true, schema: { type: string } }
                  - { in: header, name: X-HTTP-Method-Override, required: true, schema: { type: string } }
                get: {}

            """)
        #expect(
            descriptor.api.headers.items.map { "\($0.name): \($0.value.source)" } == [
                "Acme-Version: 2026", "X-Pin: {x_pin}", "X-Place: {x_place}", "X_Team: {x_team}",
                "X-Api-Key: {x_api_key}",
            ])
        #expect(descriptor.inputs["x_team"]?.allowed == ["a", "b"] && descriptor.inputs["x_place"]?.example == "here")
        #expect(descriptor.inputs.items.filter(\.value.isSecret).map(\.name) == ["x_pin", "x_api_key"])
    }

    @Test("Variables and headers with other rules are inputs of their own, also if their names are alike")
    func alikeInputs() throws {
        let (text, descriptor, _) = try draft(
            """
            openapi: 3.0.0
            servers:
              - url: https://{a-b}.{a_b}.{x_api_key}.acme.test/{version}
                variables:
                  a-b: { default: eu, enum: [eu, us] }
                  a_b: { default: prod, enum: [prod, test] }
                  x_api_key: { default: k, enum: [k, l] }
                  version: { default: v1, enum: [v1, v2] }
            \(Self.flow)    key: { type: apiKey, in: header, name: X-Api-Key }
            security: [{ acme: [], key: [] }]
            paths:
              /me:
                parameters:
                  - { in: header, name: Version, required: true, schema: { type: string, enum: ["2026", "2027"] } }
                  - { in: header, name: X-Team, required: true, schema: { type: string, enum: [a, b] } }
                  - { in: header, name: X_Team, required: true, schema: { type: string, enum: [c, d] } }
                get: {}

            """, checkedElsewhere: ["key"])
        #expect(descriptor.api.baseURL?.source == "https://{a_b_2}.{a_b}.{x_api_key}.acme.test", "\(text)")
        #expect(
            descriptor.api.headers.items.map { "\($0.name): \($0.value.source)" } == [
                "Version: {version}", "X-Team: {x_team}", "X_Team: {x_team_2}", "X-Api-Key: {x_api_key_2}",
            ], "\(text)")
        #expect(
            descriptor.endpoints[.userinfo]?.source
                == "https://{a_b_2}.{a_b}.{x_api_key}.acme.test/{version_2}/me", "\(text)")
        #expect(descriptor.inputs["a_b"]?.allowed == ["prod", "test"])
        #expect(descriptor.inputs["version_2"]?.allowed == ["v1", "v2"])
        #expect(descriptor.inputs.items.filter(\.value.isSecret).map(\.name) == ["x_api_key_2"])
    }

    @Test(
        "An API key or a parameter in a header that Carnet sets itself is no header of the draft",
        arguments: [
            "Host", "Cookie", "DPoP", "Connection", "Content-Type", "Content-Length", "Transfer-Encoding", "Expect",
            "TE", "Trailer", "Upgrade", "Proxy-Authorization",
        ])
    func managedHeaders(name: String) throws {
        let (text, descriptor, _) = try draft(
            """
            openapi: 3.0.0
            servers: [{ url: https://api.acme.test }]
            \(Self.flow)    key: { type: apiKey, in: header, name: \(name) }
            security: [{ acme: [], key: [] }]
            paths:
              /a: { get: { parameters: [{ in: header, name: \(name), required: true, schema: { type: string } }] } }

            """)
        #expect(descriptor.api.headers.items.isEmpty && descriptor.inputs.names.isEmpty, "\(text)")
        #expect(text.contains("\n# The key in the header \(name) is left out: Carnet sets it itself.\n"), "\(text)")
    }

    @Test("A header that each operation requires is one of the API, with an input or its only value")
    func headers() throws {
        let (text, descriptor, _) = try draft(
            """
            openapi: 3.0.0
            servers: [{ url: https://api.acme.test }]
            \(Self.flow)  parameters:
                tenant: { in: header, name: Acme-Tenant-Id, required: true, description: The tenant, schema: { type: string } }
            paths:
              /a:
                parameters: [{ $ref: "#/components/parameters/tenant" }]
                get:
                  security: [{ acme: [] }]
                  parameters:
                    - { in: header, name: Acme-Version, required: true, schema: { type: string, enum: ["2022-06-28"] } }
                    - { in: header, name: Idempotency-Key, required: true, schema: { type: string } }
              /b:
                post:
                  security: [{ acme: [] }]
                  parameters:
                    - { $ref: "#/components/parameters/tenant" }
                    - { in: header, name: Acme-Version, required: true, schema: { type: string, enum: ["2022-06-28"] } }
                    - { in: header, name: Idempotency-Key, required: true, schema: { type: string } }
                    - { in: header, name: X-Other, required: true, schema: { type: string } }
                    - { in: header, name: X-Optional, schema: { type: string } }

            """)
        #expect(descriptor.inputs.names == ["acme_tenant_id"])
        #expect(descriptor.inputs["acme_tenant_id"]?.title == "The tenant")
        #expect(
            descriptor.api.headers.items.map { "\($0.name): \($0.value.source)" } == [
                "Acme-Tenant-Id: {acme_tenant_id}", "Acme-Version: 2022-06-28",
            ])
        #expect(text.split(separator: "\n").filter { $0.contains("every operation requires") }.count == 3, "\(text)")
    }

    @Test("With openid among the scopes, the issuer is asked for")
    func openID() throws {
        let (text, descriptor, messages) = try draft(
            """
            openapi: 3.0.0
            servers: [{ url: https://api.acme.test }]
            \(Self.flow.replacing("identify: Who you are", with: "openid: Who you are"))paths:
              /me: { get: { security: [{ acme: [openid, "files:read", unlisted] }] } }

            """)
        #expect(messages.contains("the scopes have openid, and the document does not say the issuer"), "\(messages)")
        #expect(text.contains("\n# The scopes have openid: write the issuer"), "\(text)")
        #expect(descriptor.scopes.defaults == ["files:read"])
        #expect(descriptor.issuer == nil && descriptor.scopes.catalog.map(\.id).contains("openid"))
    }

    @Test("A scope that stands for no scope is none")
    func noScope() throws {
        let text = """
            openapi: 3.0.0
            servers: [{ url: https://api.acme.test }]
            \(Self.flow.replacing("identify: Who you are", with: "none: No scope required"))paths:
              /a: { get: { security: [{ acme: [none] }] } }

            """
        let (_, descriptor, _) = try draft(text)
        #expect(descriptor.scopes.catalog.map(\.id) == ["files:read"])
        let map = try OpenAPIImport(SourceFile(path: "api.yaml", text: text), OpenAPIImport.Options()).map
        #expect(map.contains("url: /a }") && !map.contains("none"), "\(map)")
    }
}
