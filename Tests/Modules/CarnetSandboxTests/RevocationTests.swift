import CarnetDescriptors
import CarnetFoundation
import CarnetSandbox
import HTTPTypes
import Testing

@Suite("The end of tokens and sessions")
struct RevocationTests {
    private func clientID(_ client: TestClient) -> (String, String) { ("client_id", client.registration.clientID) }

    @Test("revokes the family of either token", arguments: ["access_token", "refresh_token"])
    func revocation(name: String) async throws {
        let client = try TestClient()
        let tokens = try await client.exchange().json
        let accessToken = try #require(tokens["access_token"]?.string)
        let userinfo = try await client.endpoint(.userinfo)
        #expect(try await client.get(userinfo, bearer: accessToken).status == 200)
        let token = try #require(tokens[name]?.string)
        #expect(try await client.send([("token", token), clientID(client)], to: .revocation).status == 200)
        #expect(try await client.get(userinfo, bearer: accessToken).status == 401)
        #expect(try await client.refresh(#require(tokens["refresh_token"]?.string)).error == "invalid_grant")
    }

    @Test("knows nothing of an unknown token, and says nothing of it")
    func unknownToken() async throws {
        let client = try TestClient()
        #expect(try await client.send([("token", "guess"), clientID(client)], to: .revocation).status == 200)
        #expect(try await client.send([clientID(client)], to: .revocation).error == "invalid_request")
        #expect(try await client.send([("token", "guess")], to: .revocation).error == "invalid_client")
    }

    @Test("takes the encoding of the descriptor")
    func revocationEncoding() async throws {
        let client = try TestClient(provider: builtInProvider("auth0"))
        let parameters = [("token", "guess"), clientID(client)]
        #expect(try await client.send(parameters, to: .revocation, as: .json).status == 200)
        #expect(try await client.send(parameters, to: .revocation, as: .form).error == "invalid_request")
    }

    @Test("revokes nobody else's token")
    func otherClient() async throws {
        let provider = try makeProvider(acme)
        let registration = try TestClient(provider: provider).registration
        var thief = registration
        thief.clientID = "thief"
        let client = try TestClient(
            provider: provider, sandbox: Sandbox(providers: [provider], clients: [registration, thief]))
        let token = try #require(try await client.exchange().json["refresh_token"]?.string)
        let response = try await client.send([("token", token), ("client_id", "thief")], to: .revocation)
        #expect(response.error == "invalid_grant")
        #expect(try await client.refresh(token).status == 200)
    }

    @Test("looks tokens up")
    func introspection() async throws {
        let client = try TestClient()
        let token = try #require(try await client.exchange().json["access_token"]?.string)
        let parameters = [("token", token), clientID(client)]
        let active = try await client.send(parameters, to: .introspection).json
        #expect(active["active"] == true)
        #expect(active["scope"] == "openid profile email")
        client.clock.advance(by: 3600)
        #expect(try await client.send(parameters, to: .introspection).json == ["active": false])
    }

    @Test("signs out and leads to a registered place with the state")
    func endSession() async throws {
        let client = try TestClient()
        let idToken = try #require(try await client.exchange().json["id_token"]?.string)
        func url(_ parameters: [(String, String)]) async throws -> String {
            try await client.endpoint(.endSession) + "?" + form(parameters)
        }
        let target = ("post_logout_redirect_uri", "https://app.example/bye")
        let response = try await client.get(url([("id_token_hint", idToken), target, ("state", "a+b")]))
        #expect(response.head.headerFields[.location] == "https://app.example/bye?state=a%2Bb")
        #expect(try await client.get(url([clientID(client), target])).status == 302)
        #expect(try await client.get(url([target])).status == 400)
        #expect(try await client.get(url([("client_id", "nobody"), target])).status == 400)
        #expect(try await client.get(url([("client_id", "nobody"), ("id_token_hint", idToken), target])).status == 400)
        let elsewhere = ("post_logout_redirect_uri", "https://evil.example/")
        #expect(try await client.get(url([clientID(client), elsewhere])).status == 400)
        #expect(try await client.get(url([])).status == 200)
    }

    @Test("leads a client that registered itself to the place that it registered")
    func endSessionOfRegisteredClient() async throws {
        let client = try TestClient()
        let metadata: JSONValue = [
            "redirect_uris": ["https://app.example/callback"], "token_endpoint_auth_method": "none",
            "post_logout_redirect_uris": ["https://app.example/own"],
        ]
        let registered = try await client.request(
            .post, client.endpoint(.registration), headers: [.contentType: "application/json"],
            body: Array(metadata.jsonText().utf8))
        let id = ("client_id", try #require(registered.json["client_id"]?.string, "\(registered.text)"))
        let url = try await client.endpoint(.endSession) + "?"
        for (target, status) in [("https://app.example/own", 302), ("https://app.example/bye", 400)] {
            let reply = try await client.get(url + form([id, ("post_logout_redirect_uri", target)]))
            #expect(reply.status == status, "\(target)")
        }
    }

    @Test("knows sign-out parameters by the provider's names")
    func renamedEndSession() async throws {
        let client = try TestClient(acme + "logout: { rename: { post_logout_redirect_uri: returnTo } }\n")
        let parameters = form([("returnTo", "https://app.example/bye"), clientID(client)])
        #expect(try await client.get(client.endpoint(.endSession) + "?" + parameters).status == 302)
    }
}
