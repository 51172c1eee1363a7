import CarnetDescriptors
import CarnetFoundation
import CarnetSandbox
import HTTPTypes
import Testing

@Suite("The token endpoint")
struct TokenEndpointTests {
    @Test("exchanges a code for a standard response")
    func standardResponse() async throws {
        let reply = try await TestClient().exchange()
        #expect(reply.status == 200)
        #expect(reply.head.headerFields[.cacheControl] == "no-store")
        #expect(reply.head.headerFields[.contentType] == "application/json")
        #expect(reply.json["token_type"] == "Bearer")
        #expect(reply.json["expires_in"] == 3600)
        #expect(reply.json["scope"] == "openid profile email")
        for name in ["access_token", "refresh_token", "id_token"] {
            #expect(reply.json[name]?.string?.isEmpty == false)
        }
    }

    @Test(
        "refuses a code with the wrong proof",
        arguments: [
            (["code_verifier": nil], "invalid_grant"),
            (["code_verifier": "wrong-0123456789-0123456789-0123456789-0123456789"], "invalid_grant"),
            (["redirect_uri": nil], "invalid_request"),
            (["redirect_uri": "com.example.app:/callback"], "invalid_grant"),
            (["code": "4/+&=%41 guess"], "invalid_grant"),
            (["code": nil], "invalid_request"),
            (["grant_type": nil], "invalid_request"),
            (["grant_type": "password"], "unsupported_grant_type"),
        ] as [([String: String?], String)]
    )
    func wrongProof(changes: [String: String?], error: String) async throws {
        let reply = try await TestClient().exchange(changes)
        #expect(reply.status == 400)
        #expect(reply.error == error)
        #expect(reply.json["error_description"]?.string?.isEmpty == false)
        #expect(reply.json["access_token"] == nil)
    }

    @Test(
        "refuses a verifier that fits but is no verifier",
        arguments: [
            String(repeating: "v", count: 42), String(repeating: "v", count: 129),
            String(repeating: "v", count: 42) + "+",
        ]
    )
    func badVerifier(verifier: String) async throws {
        var client = try TestClient()
        client.verifier = String(repeating: "v", count: 43)
        #expect(try await client.exchange().status == 200)
        client.verifier = verifier
        #expect(try await client.exchange().error == "invalid_grant")
    }

    @Test("takes a code once, and revokes its tokens when it comes again")
    func codeReuse() async throws {
        let client = try TestClient()
        let code = try await client.callback()["code"]
        let tokens = try await client.exchange(code: code).json
        let userinfo = try await client.endpoint(.userinfo)
        let accessToken = try #require(tokens["access_token"]?.string)
        #expect(try await client.get(userinfo, bearer: accessToken).status == 200)
        #expect(try await client.exchange(code: code).error == "invalid_grant")
        #expect(try await client.get(userinfo, bearer: accessToken).status == 401)
        #expect(try await client.refresh(#require(tokens["refresh_token"]?.string)).error == "invalid_grant")
    }

    @Test("takes a code for a minute")
    func codeExpiry() async throws {
        let client = try TestClient()
        let inTime = try await client.callback()["code"]
        client.clock.advance(by: 59)
        #expect(try await client.exchange(code: inTime).status == 200)
        let late = try await client.callback()["code"]
        client.clock.advance(by: 60)
        #expect(try await client.exchange(code: late).error == "invalid_grant")
    }

    @Test("gives a code's tokens only to the client of the code")
    func otherClient() async throws {
        let provider = try makeProvider(acme)
        let client = try TestClient(provider: provider)
        var thief = client.registration
        thief.clientID = "thief"
        let sandbox = Sandbox(providers: [provider], clients: [client.registration, thief])
        let both = try TestClient(provider: provider, sandbox: sandbox)
        let code = try await both.callback()["code"]
        #expect(try await both.exchange(code: code, ["client_id": "thief"]).error == "invalid_grant")
        #expect(try await both.exchange(code: code).status == 200)
    }

    @Test("refuses a verifier where no challenge was sent")
    func verifierWithoutChallenge() async throws {
        let client = try TestClient(acme + "authorization: { pkce: { none: because } }\n")
        let changes: [String: String?] = ["code_challenge": nil, "code_challenge_method": nil]
        let first = try await client.callback(changes)["code"]
        #expect(try await client.exchange(code: first).error == "invalid_grant")
        let second = try await client.callback(changes)["code"]
        #expect(try await client.exchange(code: second, ["code_verifier": nil]).status == 200)
    }

    @Test("refreshes with a new refresh token, and ends the family when the old one comes again")
    func rotation() async throws {
        let client = try TestClient()
        let first = try #require(try await client.exchange().json["refresh_token"]?.string)
        let refreshed = try await client.refresh(first)
        let second = try #require(refreshed.json["refresh_token"]?.string)
        #expect(refreshed.status == 200)
        #expect(second != first)
        #expect(try await client.refresh(first).error == "invalid_grant")
        #expect(try await client.refresh(second).error == "invalid_grant")
        let accessToken = try #require(refreshed.json["access_token"]?.string)
        #expect(try await client.get(client.endpoint(.userinfo), bearer: accessToken).status == 401)
    }

    @Test("narrows the scopes of a refresh, and never widens them")
    func refreshScope() async throws {
        let client = try TestClient()
        let token = try #require(try await client.exchange().json["refresh_token"]?.string)
        #expect(try await client.refresh(token, ["scope": "openid phone"]).error == "invalid_scope")
        #expect(try await client.refresh(token, ["scope": "openid"]).json["scope"] == "openid")
    }

    @Test("refreshes with the access token that is replaced, where the descriptor sends it")
    func refreshWithAccessToken() async throws {
        let client = try TestClient(plain + "refresh: { parameters: { of: '{token.access_token}' } }\n")
        let tokens = try await client.exchange().json
        let old = try #require(tokens["access_token"]?.string)
        let first = try #require(tokens["refresh_token"]?.string)
        for wrong in [nil, "another"] { #expect(try await client.refresh(first, ["of": wrong]).status == 400) }
        let refreshed = try await client.refresh(first, ["of": old])
        #expect(refreshed.status == 200)
        let second = try #require(refreshed.json["refresh_token"]?.string)
        #expect(try await client.refresh(second, ["of": old]).error == "invalid_request")
    }

    @Test("takes a step with a token in the form that the descriptor says, and in no other")
    func encodedTokenOfStep() async throws {
        let url = "https://plain.example/wide"
        let client = try TestClient(
            plain + "exchange: { wide: { url: '\(url)', parameters: { of: '{base64url(token.access_token)}' } } }\n")
        let token = try #require(try await client.exchange().json["access_token"]?.string)
        func step(_ value: String) async throws -> TestResponse {
            try await client.request(
                .post, url, headers: [.contentType: "application/x-www-form-urlencoded"],
                body: Array(form([("of", value)]).utf8))
        }
        for wrong in [token, base64URL("another".utf8), ""] { #expect(try await step(wrong).status == 400) }
        #expect(try await step(base64URL(token.utf8)).json["access_token"]?.string?.isEmpty == false)
    }

    @Test("tells grants of one name apart by their parameters")
    func grantsOfOneName() async throws {
        let client = try TestClient(acme + "token_exchange: { grant_type: own }\nrefresh: { grant_type: own }\n")
        let tokens = try await client.exchange().json
        let common = [("grant_type", "own"), ("client_id", client.registration.clientID)]
        let subject = [
            ("subject_token", try #require(tokens["access_token"]?.string)),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"),
        ]
        #expect(try await client.send(common + subject, to: .token).json["issued_token_type"] != nil)
        let token = [("refresh_token", try #require(tokens["refresh_token"]?.string))]
        let refreshed = try await client.send(common + token, to: .token)
        #expect(refreshed.json["issued_token_type"] == nil && refreshed.json["refresh_token"] != nil)
        #expect(try await client.send(common, to: .token).status == 400)
    }

    @Test("accepts only the encoding of the descriptor", arguments: [BodyEncoding.form, .json, .query])
    func bodyEncoding(wanted: BodyEncoding) async throws {
        let client = try TestClient(acme + "token: { body: \(wanted.rawValue) }\n")
        for sent in [BodyEncoding.form, .json, .query] {
            let reply = try await client.exchange(as: sent)
            #expect(reply.status == (sent == wanted ? 200 : 400))
            #expect(reply.error == (sent == wanted ? nil : "invalid_request"))
        }
        let refreshToken = try #require(try await client.exchange().json["refresh_token"]?.string)
        #expect(try await client.refresh(refreshToken).status == 200)
    }

    @Test("says which encoding it wants")
    func encodingMessage() async throws {
        let client = try TestClient(acme + "token: { body: json }\n")
        let message = try await client.exchange(as: .form).json["error_description"]?.string
        #expect(message?.contains("must be JSON (application/json)") == true)
    }

    @Test("takes GET where the descriptor says so")
    func getRequest() async throws {
        let client = try TestClient(acme + "token: { method: GET, body: query }\n")
        let code = try #require(try await client.callback()["code"])
        let url = try await client.endpoint(.token) + "?" + form(client.tokenParameters(code: code))
        #expect(try await client.request(.post, url).error == "invalid_request")
        #expect(try await client.request(.get, url).status == 200)
    }

    @Test("refuses parameters in the query besides those in the body")
    func parametersInQuery() async throws {
        let client = try TestClient()
        let code = try #require(try await client.callback()["code"])
        let body = Array(form(client.tokenParameters(code: code)).utf8)
        let headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        let url = try await client.endpoint(.token)
        #expect(try await client.request(.post, url + "?x=1", headers: headers, body: body).error == "invalid_request")
        #expect(try await client.request(.post, url, headers: headers, body: body).status == 200)
    }

    @Test("refuses a body of another or no content type", arguments: [nil, "text/plain", "multipart/form-data"])
    func contentType(type: String?) async throws {
        let client = try TestClient()
        let code = try #require(try await client.callback()["code"])
        var headers = HTTPFields()
        headers[.contentType] = type
        let body = Array(form(client.tokenParameters(code: code)).utf8)
        let reply = try await client.request(.post, client.endpoint(.token), headers: headers, body: body)
        #expect(reply.error == "invalid_request")
    }

    @Test(
        "refuses JSON members that are not texts, and JSON that is not an object",
        arguments: ["{\"code\": 1}", "[]", "{"])
    func badJSON(body: String) async throws {
        let client = try TestClient(acme + "token: { body: json }\n")
        let reply = try await client.request(
            .post, client.endpoint(.token), headers: [.contentType: "application/json"], body: Array(body.utf8))
        #expect(reply.error == "invalid_request")
    }

    @Test("refuses a parameter that is sent twice")
    func repeatedParameter() async throws {
        let client = try TestClient()
        let code = try #require(try await client.callback()["code"])
        let reply = try await client.send(client.tokenParameters(code: code) + [("code", code)], to: .token)
        #expect(reply.error == "invalid_request")
    }

    @Test("wants the descriptor's names, added parameters and headers, and nothing that is left out")
    func requestRules() async throws {
        let client = try TestClient(
            plain + """
                token:
                  rename: { code: auth_code, client_id: client_key }
                  omit: [redirect_uri]
                  parameters: { action: requesttoken }
                  headers: { X-Api-Key: key }

                """)
        let key: HTTPFields = [try #require(HTTPField.Name("X-Api-Key")): "key"]
        #expect(try await client.exchange(headers: key).status == 200)
        #expect(try await client.exchange().error == "invalid_request")
        #expect(try await client.exchange(["action": nil], headers: key).error == "invalid_request")
        #expect(try await client.exchange(["action": "other"], headers: key).error == "invalid_request")
        let redirect = try await client.exchange(["redirect_uri": TestClient.redirectURI], headers: key)
        #expect(redirect.error == "invalid_request")
        let code = try await client.callback()["code"]
        let standardName = try await client.exchange(code: code, ["auth_code": nil, "code": code], headers: key)
        #expect(standardName.error == "invalid_request")
        #expect(standardName.json["error_description"]?.string?.contains("called auth_code") == true)
    }

    @Test("refreshes at an endpoint of its own where there is one")
    func refreshEndpoint() async throws {
        let client = try TestClient(
            """
            carnet: 1
            id: plain
            name: Plain
            endpoints:
              authorization: https://plain.example/authorize
              token: https://plain.example/token
              refresh: https://plain.example/refresh
            """)
        let token = try #require(try await client.exchange().json["refresh_token"]?.string)
        #expect(try await client.refresh(token).error == "unsupported_grant_type")
        #expect(try await client.send(client.refreshParameters(token), to: .refresh).status == 200)
        let code = try #require(try await client.callback()["code"])
        let reply = try await client.send(client.tokenParameters(code: code), to: .refresh)
        #expect(reply.error == "unsupported_grant_type")
    }

    @Test("gives a refresh token only if it was asked for")
    func offline() async throws {
        let byScope = try TestClient(acme.replacing("email] }", with: "email], offline: [offline_access] }"))
        #expect(try await byScope.exchange().json["refresh_token"] != nil)
        let code = try await byScope.callback(["scope": "openid profile email"])["code"]
        #expect(try await byScope.exchange(code: code).json["refresh_token"] == nil)

        let byParameter = try TestClient(acme + "authorization: { offline_parameters: { access_type: offline } }\n")
        #expect(try await byParameter.exchange().json["refresh_token"] != nil)
        let online = try await byParameter.callback(["access_type": nil])["code"]
        #expect(try await byParameter.exchange(code: online).json["refresh_token"] == nil)
    }
}
