import CarnetDescriptors
import CarnetSandbox
import Foundation
import HTTPTypes
import Testing

@Suite("The authorization endpoint")
struct AuthorizationEndpointTests {
    @Test("returns to a correct request with code, state and issuer")
    func correctRequest() async throws {
        let callback = try await TestClient().callback()
        #expect(callback["code"]?.isEmpty == false)
        #expect(callback["state"] == "state é+&=%")
        #expect(callback["iss"] == "https://id.acme.example")
        #expect(callback["error"] == nil)
    }

    @Test("makes codes that only a correct encoder brings back")
    func codeCharacters() async throws {
        let code = try #require(try await TestClient().callback()["code"])
        #expect(code.hasPrefix("4/+&=%41 "))
    }

    @Test(
        "shows a page and redirects nowhere when client or redirect URI are wrong",
        arguments: [
            (["client_id": "nobody"], "has no client &quot;nobody&quot;"),
            (["client_id": nil], "client_id is missing"),
            (["redirect_uri": "http://127.0.0.1/other"], "is not registered"),
            (["redirect_uri": "http://127.0.0.1/callback/"], "is not registered"),
            (["redirect_uri": "http://127.0.0.1.evil.example/callback"], "is not registered"),
            (["redirect_uri": "http://127.0.0.1:99999/callback"], "is not registered"),
            (["redirect_uri": "http://localhost/callback"], "is not registered"),
            (["redirect_uri": "com.example.app:/callback#x"], "is not registered"),
            (["redirect_uri": nil], "redirect_uri is missing"),
        ] as [([String: String?], String)]
    )
    func unsafeRequest(changes: [String: String?], message: String) async throws {
        let response = try await TestClient().authorize(changes)
        #expect(response.status == 400)
        #expect(response.head.headerFields[.location] == nil)
        #expect(response.text.contains(message))
    }

    @Test(
        "takes any port of a loopback address",
        arguments: ["http://127.0.0.1:1/callback", "http://127.0.0.1:65535/callback"])
    func loopbackPort(redirectURI: String) async throws {
        let response = try await TestClient().authorize(["redirect_uri": redirectURI])
        #expect(response.head.headerFields[.location]?.hasPrefix(redirectURI + "?code=") == true)
    }

    @Test("redirects to a private-use scheme")
    func privateUseScheme() async throws {
        let response = try await TestClient().authorize(["redirect_uri": "com.example.app:/callback"])
        #expect(response.head.headerFields[.location]?.hasPrefix("com.example.app:/callback?code=") == true)
    }

    @Test(
        "returns the specification's error",
        arguments: [
            (["response_type": "token"], "unsupported_response_type"),
            (["response_type": nil], "invalid_request"),
            (["response_mode": "fragment"], "invalid_request"),
            (["state": nil], "invalid_request"),
            (["state": ""], "invalid_request"),
            (["nonce": nil], "invalid_request"),
            (["code_challenge": nil], "invalid_request"),
            (["code_challenge": "short"], "invalid_request"),
            (["code_challenge_method": "plain"], "invalid_request"),
            (["code_challenge_method": nil], "invalid_request"),
            (["scope": "openid  profile"], "invalid_scope"),
            (["scope": "openid \"profile\""], "invalid_scope"),
        ] as [([String: String?], String)]
    )
    func returnedError(changes: [String: String?], error: String) async throws {
        let callback = try await TestClient().callback(changes)
        #expect(callback["error"] == error)
        #expect(callback["code"] == nil)
        #expect(callback["iss"] == "https://id.acme.example")
        #expect(callback["error_description"]?.isEmpty == false)
        #expect(callback["state"] == (changes["state"] == nil ? "state é+&=%" : nil))
    }

    @Test("refuses a parameter that is sent twice")
    func repeatedParameter() async throws {
        let response = try await TestClient().authorize(adding: [("nonce", "again")])
        #expect(response.callback?["error"] == "invalid_request")
    }

    @Test("shows a page when the redirect URI is sent twice")
    func repeatedRedirectURI() async throws {
        let response = try await TestClient().authorize(adding: [("redirect_uri", "https://evil.example/")])
        #expect(response.status == 400)
        #expect(response.text.contains("more than once"))
    }

    @Test("refuses an escape that is not one")
    func brokenEscape() async throws {
        let client = try TestClient()
        let response = try await client.get(client.authorizationURL() + "&x=%zz")
        #expect(response.status == 400)
    }

    @Test("takes GET, and POST only from its own page")
    func methods() async throws {
        let client = try TestClient()
        let url = try await client.authorizationURL()
        #expect(try await client.request(.put, url).status == 405)
        #expect(try await client.request(.post, url).status == 400)
    }

    @Test("wants the parameters that the descriptor adds, with their values")
    func addedParameters() async throws {
        let client = try TestClient(acme + "authorization: { parameters: { audience: https://api.example } }\n")
        #expect(try await client.callback()["code"] != nil)
        #expect(try await client.callback(["audience": nil])["error"] == "invalid_request")
        #expect(try await client.callback(["audience": "x"])["error"] == "invalid_request")
    }

    @Test("knows parameters by the provider's names only")
    func renamedParameters() async throws {
        let client = try TestClient(
            acme + "authorization: { rename: { client_id: client_key, state: customField }, omit: [response_type] }\n")
        #expect(try await client.callback()["customField"] == "state é+&=%")
        let response = try await client.authorize(["client_key": nil, "client_id": client.registration.clientID])
        #expect(response.status == 400)
        #expect(try await client.callback(["response_type": "code"])["error"] == "invalid_request")
    }

    @Test("wants no proof key and no nonce where the descriptor switches them off")
    func safeguardsOff() async throws {
        let client = try TestClient(acme + "authorization: { pkce: { none: because }, nonce: { none: because } }\n")
        let changes: [String: String?] = ["code_challenge": nil, "code_challenge_method": nil, "nonce": nil]
        #expect(try await client.callback(changes)["code"] != nil)
    }

    @Test("knows the scopes of the catalog only")
    func unknownScope() async throws {
        let client = try TestClient(
            """
            carnet: 1
            id: acme
            name: Acme
            issuer: https://id.acme.example
            scopes: { separator: ",", catalog: [openid, email, { id: all, implies: [some] }], default: [openid, email] }
            """)
        #expect(try await client.callback()["code"] != nil)
        #expect(try await client.callback(["scope": "openid,some"])["code"] != nil)
        #expect(try await client.callback(["scope": "openid,email_extra"])["error"] == "invalid_scope")
        #expect(try await client.callback(["scope": "openid email"])["error"] == "invalid_scope")
    }

    @Test("wants required scopes")
    func requiredScope() async throws {
        let client = try TestClient(plain + "scopes: { required: [base], default: [more] }\n")
        #expect(try await client.callback()["code"] != nil)
        #expect(try await client.callback(["scope": "more"])["error"] == "invalid_scope")
        #expect(try await client.callback(["scope": nil])["error"] == "invalid_scope")
    }

    @Test("names no issuer where the provider has none")
    func noIssuer() async throws {
        let callback = try await TestClient(plain).callback()
        #expect(callback["code"] != nil)
        #expect(callback["iss"] == nil)
    }

    @Test("keeps the endpoint's own query")
    func ownQuery() async throws {
        let client = try TestClient(
            """
            carnet: 1
            id: plain
            name: Plain
            endpoints:
              authorization: https://plain.example/authorize?p=policy
              token: https://plain.example/token
            """)
        let parameters = form(client.authorizationParameters())
        #expect(try await client.get("https://plain.example/authorize?p=policy&\(parameters)").callback?["code"] != nil)
        #expect(try await client.get("https://plain.example/authorize?\(parameters)").status == 404)
    }

    @Test("plays the browser in process")
    func approval() async throws {
        let client = try TestClient()
        let callback = try await client.sandbox.approve(authorizationURL: client.authorizationURL())
        #expect(callback.hasPrefix(TestClient.redirectURI + "?code="))
        let wrong = try await client.authorizationURL(["client_id": "nobody"])
        let refusal = await #expect(throws: SandboxRefusal.self) {
            try await client.sandbox.approve(authorizationURL: wrong)
        }
        #expect(refusal?.status == 400)
        #expect(refusal?.text.contains("has no client \"nobody\"") == true)
    }
}
