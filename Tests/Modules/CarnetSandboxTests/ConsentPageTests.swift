import CarnetDescriptors
import CarnetFoundation
import CarnetSandbox
import Crypto
import Foundation
import HTTPTypes
import Testing

@Suite("The consent page")
struct ConsentPageTests {
    private func makeClient() throws -> TestClient {
        try TestClient(options: SandboxOptions(approval: .page))
    }

    private func ticket(_ page: TestResponse) throws -> String {
        let rest = try #require(page.text.split(separator: "name=\"ticket\" value=\"").dropFirst().first)
        return String(rest.prefix { $0 != "\"" })
    }

    private func submit(_ client: TestClient, _ fields: [(String, String)]) async throws -> TestResponse {
        let headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        return try await client.request(
            .post, client.authorizationURL(), headers: headers, body: Array(form(fields).utf8))
    }

    @Test("asks without a script and names client, users and scopes")
    func page() async throws {
        let page = try await makeClient().authorize()
        #expect(page.status == 200)
        #expect(page.head.headerFields[.contentSecurityPolicy]?.hasPrefix("default-src 'none'") == true)
        for text in ["client é+&amp;=%", "Björk Ångström", "<code>email</code>", "<html lang=\"en\">"] {
            #expect(page.text.contains(text))
        }
        #expect(!page.text.contains("<script"))
    }

    @Test("shows text from outside as text")
    func escaping() async throws {
        let page = try await makeClient().authorize(["scope": "openid <script>"])
        #expect(page.text.contains("&lt;script&gt;"))
        #expect(!page.text.contains("<script>"))
    }

    @Test("gives a code for the chosen user and the kept scopes")
    func allow() async throws {
        let client = try makeClient()
        let ticket = try ticket(await client.authorize())
        let callback = try #require(
            try await submit(client, [("ticket", ticket), ("user", "1"), ("scope", "email"), ("decision", "allow")])
                .callback)
        let tokens = try await client.exchange(code: callback["code"])
        #expect(tokens.json["scope"] == "openid email")
        let profile = try await client.get(
            client.endpoint(.userinfo), bearer: #require(tokens.json["access_token"]?.string))
        #expect(profile.json["email"] == "bjork@example.org")
        #expect(profile.json["name"] == nil)
    }

    @Test("takes no for a response")
    func deny() async throws {
        let client = try makeClient()
        let ticket = try ticket(await client.authorize())
        let response = try await submit(client, [("ticket", ticket), ("user", "0"), ("decision", "deny")])
        #expect(response.callback?["error"] == "access_denied")
        #expect(response.callback?["state"] == "state é+&=%")
    }

    @Test("is submitted once, in time, and not by a stranger")
    func ticketRules() async throws {
        let client = try makeClient()
        let first = try ticket(await client.authorize())
        let fields = [("ticket", first), ("user", "0"), ("decision", "allow")]
        #expect(try await submit(client, fields).callback?["code"] != nil)
        #expect(try await submit(client, fields).status == 400)
        #expect(try await submit(client, [("ticket", "guess"), ("user", "0"), ("decision", "allow")]).status == 400)
        let late = try ticket(await client.authorize())
        client.clock.advance(by: 601)
        #expect(try await submit(client, [("ticket", late), ("user", "0"), ("decision", "allow")]).status == 400)
    }

    @Test("has a fault for the sign-in that it is about, to its end, and for no other")
    func chosenFault() async throws {
        let client = try TestClient(options: SandboxOptions(approval: .page, offersFaults: true))
        func code(_ fault: SandboxFault?) async throws -> String {
            let fields = [
                ("ticket", try ticket(await client.authorize())), ("user", "0"), ("decision", "allow"),
                ("fault", fault?.rawValue ?? ""),
            ]
            return try #require(try await submit(client, fields).callback?["code"])
        }
        let (failing, mistaken, whole) = (
            try await code(.token500), try await code(.userinfoWrongSubject), try await code(nil)
        )
        #expect(try await client.exchange(code: whole).status == 200)
        #expect(try await client.exchange(code: failing).status == 500)
        #expect(try await client.exchange(code: failing).status == 500)
        let granted = try await client.exchange(code: mistaken).json
        let token = try #require(granted["access_token"]?.string)
        let profile = try await client.get(client.endpoint(.userinfo), bearer: token)
        #expect(profile.json["sub"] == "999999999")
    }

    @Test("has a fault for a sign-in whose code is sent without encoding", arguments: [nil, SandboxFault.token500])
    func rawCode(fault: SandboxFault?) async throws {
        let client = try TestClient(
            acme + "token: { encode: { code: raw } }\n",
            options: SandboxOptions(approval: .page, offersFaults: true))
        let fields = [
            ("ticket", try ticket(await client.authorize())), ("user", "0"), ("decision", "allow"),
            ("fault", fault?.rawValue ?? ""),
        ]
        let code = try #require(try await submit(client, fields).callback?["code"])
        #expect(code.hasPrefix("4/+&=%41 "))
        let encoded = form([("code", code)])
        // What a form can hold as it is: RFC 3986, section 3.4, without the separator.
        let raw = encoded.replacing("%2F", with: "/").replacing("%2B", with: "+").replacing("%3D", with: "=")
        #expect(raw != encoded)
        let body = form(client.tokenParameters(code: code)).replacing(encoded, with: raw)
        let reply = try await client.request(
            .post, client.endpoint(.token), headers: [.contentType: "application/x-www-form-urlencoded"],
            body: Array(body.utf8))
        #expect(reply.status == (fault == nil ? 200 : 500), "\(reply.text)")
    }

    @Test("offers no fault of what everybody reads")
    func commonFaults() async throws {
        let client = try TestClient(options: SandboxOptions(approval: .page, offersFaults: true))
        let page = try await client.authorize()
        #expect(page.text.contains("value=\"wrong-nonce\"") && !page.text.contains("value=\"keys-500\""))
        let fields = [
            ("ticket", try ticket(page)), ("user", "0"), ("decision", "allow"), ("fault", "keys-500"),
        ]
        _ = try await submit(client, fields)
        #expect(try await client.keySet()["keys"] != nil)
    }

    @Test("offers no fault of what the provider does not have, and calls the person of the samples by name")
    func faultsOfProvider() async throws {
        let client = try TestClient(
            """
            carnet: 1
            id: plain
            name: Plain
            endpoints:
              authorization: https://id.plain.example/authorize
              token: https://id.plain.example/token
              userinfo: https://id.plain.example/me
            scopes: { default: [read] }
            profile: { claims: { subject: /id, name: /title } }
            samples:
              token: { access_token: a-1, token_type: Bearer, scope: read }
              userinfo: { id: 7, title: Grace Example }

            """, options: SandboxOptions(approval: .page, offersFaults: true))
        let page = try await client.authorize().text
        for offered in ["token-500", "userinfo-500", "wrong-state"] { #expect(page.contains("value=\"\(offered)\"")) }
        for other in ["wrong-nonce", "bad-signature", "missing-id-token", "wrong-iss", "revocation-500"] {
            #expect(!page.contains("value=\"\(other)\""), "\(other)")
        }
        #expect(page.contains("Grace Example"))
    }

    @Test("is submitted by the simulated browser")
    func approval() async throws {
        let client = try makeClient()
        let callback = try await client.sandbox.approve(authorizationURL: client.authorizationURL())
        #expect(callback.hasPrefix(TestClient.redirectURI + "?code="))
    }

    @Test("is not shown with prompt=none")
    func promptNone() async throws {
        #expect(try await makeClient().callback(["prompt": "none"])["error"] == "login_required")
    }

    @Test("has the colour of the brand, and a policy that allows its own style alone")
    func style() async throws {
        let client = try TestClient(
            acme + "display: { color: \"#2457a6\" }\n", options: SandboxOptions(approval: .page))
        let page = try await client.authorize()
        #expect(page.text.contains("--brand: #2457a6"))
        let style = try #require(page.text.firstMatch(of: /<style>([^<]*)<\/style>/)?.output.1)
        let hash = Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString()
        #expect(
            page.head.headerFields[.contentSecurityPolicy]
                == "default-src 'none'; style-src 'sha256-\(hash)'; frame-ancestors 'none'; base-uri 'none'")
    }
}
