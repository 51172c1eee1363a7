import CarnetDescriptors
import CarnetFoundation
import CarnetSandbox
import HTTPTypes
import Testing

@Suite("Userinfo and resources")
struct ResourceTests {
    private static let bank =
        acme.replacing("[openid, profile, email]", with: "[openid, email]") + """
            api: { hosts: [api.acme.example], headers: { X-Version: "2" } }
            resources:
              - { scope: email, title: Balance, url: "https://bank.example/balance?full=1" }
              - { all_of: [openid, phone], title: Phone, url: https://bank.example/phone }
              - { scope: openid, title: Transfer, url: https://bank.example/transfer, method: POST }

            """

    private func version() throws -> HTTPFields { [try #require(HTTPField.Name("X-Version")): "2"] }

    private func accessToken(_ client: TestClient, scope: String? = nil) async throws -> String {
        let code = try await client.callback(scope.map { ["scope": $0] } ?? [:])["code"]
        return try #require(try await client.exchange(code: code).json["access_token"]?.string)
    }

    @Test("open with the scope that they need")
    func open() async throws {
        let client = try TestClient(Self.bank)
        let url = "https://bank.example/balance?full=1"
        let response = try await client.get(url, bearer: accessToken(client), headers: version())
        #expect(response.status == 200)
        #expect(response.json["resource"] == "Balance")
    }

    @Test("refuse a token without the scope, and say which is missing")
    func insufficientScope() async throws {
        let client = try TestClient(Self.bank)
        let response = try await client.get(
            "https://bank.example/phone", bearer: accessToken(client), headers: version())
        #expect(response.status == 403)
        #expect(response.error == "insufficient_scope")
        #expect(response.challenge?.hasPrefix("Bearer ") == true)
        #expect(response.challenge?.contains("error=\"insufficient_scope\"") == true)
        #expect(response.challenge?.contains("scope=\"phone\"") == true)
    }

    @Test("refuse a request without a token, with an unknown one, or of another scheme")
    func badToken() async throws {
        let client = try TestClient(Self.bank)
        let url = "https://bank.example/phone"
        let none = try await client.get(url)
        #expect(none.status == 401)
        #expect(none.challenge == "Bearer realm=\"acme\"")
        let unknown = try await client.get(url, bearer: "guess")
        #expect(unknown.status == 401)
        #expect(unknown.error == "invalid_token")
        let scheme = try await client.get(url, headers: [.authorization: "Token \(accessToken(client))"])
        #expect(scheme.status == 400)
        #expect(try await client.get(url + "?access_token=\(accessToken(client))").status == 401)
    }

    @Test("want the method of the descriptor")
    func method() async throws {
        let client = try TestClient(Self.bank)
        var headers = try version()
        #expect(try await client.get("https://bank.example/transfer", headers: headers).status == 405)
        headers[.authorization] = "Bearer \(try await accessToken(client))"
        #expect(try await client.request(.post, "https://bank.example/transfer", headers: headers).status == 200)
    }

    @Test("want the headers of the descriptor")
    func headers() async throws {
        let client = try TestClient(Self.bank)
        let token = try await accessToken(client)
        #expect(try await client.get("https://api.acme.example/any", bearer: token).status == 400)
        #expect(try await client.get("https://api.acme.example/any", bearer: token, headers: version()).status == 200)
    }

    @Test("count scopes that others imply")
    func impliedScope() async throws {
        let client = try TestClient(
            plain + """
                scopes: { default: [all], catalog: [{ id: all, implies: [some] }, { id: some, implies: [all] }] }
                resources: [{ scope: some, title: Some, url: https://plain.example/some }]

                """)
        #expect(try await client.get("https://plain.example/some", bearer: accessToken(client)).status == 200)
    }

    @Test("can be added, and open for whichever provider issued the token")
    func addedResources() async throws {
        let resources = try makeProvider(
            plain + "resources: [{ scope: a, title: Shared, url: http://localhost:8080/shared }]\n"
        ).resources
        let first = try makeProvider(plain + "scopes: { default: [a] }\n")
        let second = try makeProvider(plain.replacing("plain", with: "other") + "scopes: { default: [b] }\n")
        let registration = try TestClient(plain).registration
        let sandbox = Sandbox(providers: [first, second], clients: [registration])
        await sandbox.addResources(resources)
        let one = try TestClient(provider: first, sandbox: sandbox)
        let two = try TestClient(provider: second, sandbox: sandbox)
        let url = "http://localhost:8080/shared"
        #expect(try await one.get(url, bearer: accessToken(one)).status == 200)
        #expect(try await two.get(url, bearer: accessToken(two)).status == 403)
    }

    @Test("userinfo: a standard profile as far as the scopes go")
    func standardUserinfo() async throws {
        let client = try TestClient()
        let url = try await client.endpoint(.userinfo)
        let profile = try await client.get(url, bearer: accessToken(client, scope: "openid profile")).json
        #expect(profile["name"] == "Ada Example")
        #expect(profile["email"] == nil)
        let refused = try await client.get(url, bearer: accessToken(client, scope: "profile"))
        #expect(refused.status == 403)
    }

    @Test("userinfo: the sample whole, with the subject filled in")
    func sampleUserinfo() async throws {
        let client = try TestClient(provider: builtInProvider("cloudentity"))
        let profile = try await client.get(client.endpoint(.userinfo), bearer: accessToken(client)).json
        #expect(profile["tid"] == "acme")
        #expect(profile["updated_at"] == 1_700_000_000)
        #expect(profile["sub"]?.string?.contains("redacted") == false)
    }

    @Test("userinfo: another person in the sample's shape")
    func otherUser() async throws {
        let client = try TestClient(
            plain.replacing("endpoints:", with: "endpoints:\n  userinfo: https://plain.example/user") + """
                api: { scheme: token }
                profile: { claims: { subject: /id, username: /login } }
                samples: { userinfo: { id: 12, login: octo, plan: free } }

                """,
            options: SandboxOptions(approval: .automatic(.other)))
        let profile = try await client.get("https://plain.example/user", bearer: accessToken(client)).json
        #expect(profile == ["id": 100_200_300, "login": "bjork", "plan": "free"])
    }

    @Test("userinfo: the descriptor's method, headers and parameters")
    func userinfoRequest() async throws {
        let client = try TestClient(
            plain.replacing("endpoints:", with: "endpoints:\n  userinfo: https://plain.example/user") + """
                profile: { parameters: { fields: id }, headers: { X-Version: "2" } }

                """)
        let token = try await accessToken(client)
        let url = "https://plain.example/user"
        #expect(try await client.get(url + "?fields=id", bearer: token, headers: version()).status == 200)
        #expect(try await client.get(url, bearer: token, headers: version()).status == 400)
        #expect(try await client.get(url + "?fields=id", bearer: token).status == 400)
        #expect(try await client.request(.post, url).status == 405)
    }
}
