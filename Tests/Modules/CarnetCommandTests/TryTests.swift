import Foundation
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("Try")
struct TryTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    /// The request of a step, as `--json` has it.
    private func request(_ step: String, in result: CommandResult) throws -> [String: Any] {
        let steps = try #require(try result.json()["steps"] as? [[String: Any]])
        let exchanges = steps.flatMap { $0["exchanges"] as? [[String: Any]] ?? [] }
        let exchange = try #require(exchanges.first { $0["step"] as? String == step }, "no \(step) in \(result)")
        return try #require(exchange["request"] as? [String: Any])
    }

    @Test(
        "Every shipped provider works",
        arguments: [
            ["google"],
            ["cloudentity", "--input", "tenant=acme", "--input", "workspace=demo", "--input", "region=eu"],
            ["auth0", "--input", "domain=acme.eu.auth0.com"],
            ["auth0"], ["cloudentity"],
        ])
    func everyShippedProviderWorks(_ arguments: [String]) async throws {
        let run = try home.start(["try"] + arguments)
        let result = try await run.finish()
        #expect(result.status == 0, "\(result)")
        #expect(result.standardError.isEmpty)
        for title in [
            "Authorization request", "Callback", "Token request", "ID token", "Profile", "Refresh", "Revocation",
        ] {
            #expect(result.standardOutput.contains(title))
        }
        #expect(result.standardOutput.contains("code=[redacted]"))
        #expect(!result.standardOutput.contains("\u{1B}"), "a pipe gets no colours")
        #expect(result.standardOutput.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }

    @Test("A client without a user sees, and can call, resources whose URL a function fills")
    func resourcesWithoutAUser() async throws {
        let text = """
            carnet: 1
            id: cc
            name: CC
            inputs: { region: { enum: [uk, nl], default: uk } }
            tables: { hosts: { nl: data.a.example, uk: uk.a.example } }
            endpoints: { token: "https://a.example/oauth/token" }
            client_credentials: {}
            api: { base_url: "https://{map(region, 'hosts')}/api" }
            resources: [{ id: user, title: Your user, url: /user }]

            """
        try home.write(text, to: "providers/cc.yaml")
        let tried = try await home.run("try", "cc")
        #expect(tried.status == 0 && tried.standardOutput.contains(/opens +Your user/), "\(tried)")
        #expect(tried.standardOutput.contains("Resource: Your user"))
    }

    @Test("What did not happen is not said to be simulated, and a profile without claims says so")
    func onlyWhatHappened() async throws {
        let text = """
            carnet: 1
            id: acme
            name: Acme
            endpoints: { authorization: https://acme.example/authorize, token: https://acme.example/token }
            profile: { from: token, subject: { none: The API has no users. } }
            samples: { token: { access_token: x, token_type: Bearer } }

            """
        try home.write(text, to: "providers/acme.yaml")
        let tried = try await home.run("try", "acme")
        #expect(tried.status == 0 && tried.standardOutput.contains("issued no refresh token"), "\(tried)")
        #expect(!tried.standardOutput.contains("rotation of refresh tokens"))
        #expect(tried.standardOutput.contains(/claims +none/))
    }

    @Test("A decoded name and a documented lifetime of the refresh token are shown")
    func statedByTheDescriptor() async throws {
        let text = """
            carnet: 1
            id: acme
            name: Acme
            endpoints: { authorization: https://acme.example/authorize, token: https://acme.example/token }
            token: { response: { default_refresh_token_expires_in: 2419200 } }
            profile:
              from: token
              claims: { subject: /uid, username: /nick }
              derive: { username: "{urldecode(claim.username)}" }
            samples: { token: { access_token: x, token_type: Bearer, refresh_token: y, uid: 7, nick: Ada+%5BB%5D } }

            """
        try home.write(text, to: "providers/acme.yaml")
        let tried = try await home.run("try", "acme")
        #expect(tried.status == 0 && tried.standardOutput.contains("Ada [B]"), "\(tried)")
        #expect(tried.standardOutput.contains(/refresh token +yes, for 2419200 seconds/))
    }

    @Test("The secrets of the simulated sign-in are shown on request only")
    func showsSecrets() async throws {
        let shown = try await home.run("try", "google", "--show-secrets")
        #expect(shown.status == 0 && !shown.standardOutput.contains("[redacted]"), "\(shown)")
        let code = try #require(shown.standardOutput.firstMatch(of: /code=([^&\s]+)/)?.output.1)
        #expect(
            shown.standardOutput.contains("code=\(code)\n") && shown.standardOutput.contains("\"refresh_token\": \""))
        let hidden = try await home.run("try", "google")
        #expect(hidden.standardOutput.contains("code=[redacted]"))
        let steps = try #require(
            try await home.run("try", "google", "--show-secrets", "--json").json()["steps"] as? [Any])
        #expect("\(steps)".contains("access_token") && !"\(steps)".contains("redacted"))
    }

    @Test("--show-secrets shows a token in the path of a URL, too")
    func showsTokensInPaths() async throws {
        try home.write(
            """
            carnet: 1
            id: team
            name: Team
            endpoints:
              authorization: https://id.team.example/a
              token: https://id.team.example/t
              revocation: https://id.team.example/t/{urlencode(token.access_token)}
            profile: { subject: { none: nobody signs in } }
            revocation:
              { method: DELETE, tokens: [access_token], token_in: authorization, omit: [token, token_type_hint] }

            """, to: "providers/team.yaml")
        let shown = try await home.run("try", "team", "--show-secrets")
        #expect(shown.status == 0 && !shown.standardOutput.contains("[redacted]"), "\(shown)")
        #expect(shown.standardOutput.contains(#/> DELETE https://id\.team\.example/t/[\w%.~-]{20,}/#), "\(shown)")
        #expect(
            try await home.run("try", "team").standardOutput.contains("> DELETE https://id.team.example/t/[redacted]"))
    }

    @Test(
        "The status of an expired token is simulated also for a resource at a looked-up URL",
        arguments: ["a", "{connection.c}/a"])
    func assumesTheStatus(path: String) async throws {
        try home.write(
            """
            carnet: 1
            id: team
            name: Team
            endpoints: { authorization: https://id.team.example/a, token: https://id.team.example/t }
            profile: { subject: { none: nobody signs in } }
            connection: { lookups: { c: { url: "https://api.team.example/c", value: /id, sample: { id: c1 } } } }
            resources: [{ title: A, url: "https://api.team.example/\(path)" }]

            """, to: "providers/team.yaml")
        let result = try await home.run("try", "team")
        #expect(result.standardOutput.contains("the status of an expired access token: 401"), "\(result)")
    }

    /// The number of requests of a sign-in, as `--json` has them.
    private func requestCount(_ provider: String) async throws -> Int {
        let steps = try #require(try await home.run("try", provider, "--json").json()["steps"] as? [[String: Any]])
        return steps.map { ($0["exchanges"] as? [Any])?.count ?? 0 }.reduce(0, +)
    }

    @Test("The diagram for a terminal has each request in its width, and nothing else", arguments: [60, 72, 80, 200])
    func diagramForTerminal(columns: Int) async throws {
        let run = try home.start(["try", "google", "--diagram", "text"], environment: ["COLUMNS": "\(columns)"])
        let result = try await run.finish()
        #expect(result.status == 0 && result.standardError.isEmpty, "\(result)")
        let lines = result.standardOutput.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= min(columns, 80) })
        let numbers = result.standardOutput.matches(of: /[ │](\d+)\. [A-Z]/).map { String($0.output.1) }
        #expect(numbers == (1...(try await requestCount("google"))).map(String.init))
        // The browser asks the authorization server, is sent back, and then the app asks.
        let heads = lines.filter { $0.contains("▶") || $0.contains("◀") }
        #expect(heads.filter { $0.contains("▶") }.count == numbers.count)
        let labels = lines.enumerated().filter { $0.element.contains(#/\d+\. /#) }
        for (index, label) in labels {
            let start = label.distance(
                from: label.startIndex, to: label.firstIndex { $0.isNumber } ?? label.startIndex)
            // The arrow below begins at the line of life beside its text.
            let arrow = Array(lines[index + 1])
            #expect(arrow[start - 2] == "│" && arrow[start - 1] == "─", "\(label)")
        }
        for secret in ["code=", "Bearer"] { #expect(!result.standardOutput.contains(secret)) }
        let titles = labels.map { String($0.element) }
        #expect(titles.contains { $0.contains(#/1\. Authorization request, code_challenge=[\w-]{10}…/#) })
        #expect(titles.contains { $0.contains(#/3\. Token request, code_verifier=[\w-]*…/#) })
    }

    @Test("The diagram has the code verifier of a request in JSON, too")
    func diagramOfJSON() async throws {
        let result = try await home.run("try", "auth0", "--diagram", "svg")
        #expect(result.standardOutput.contains(#/code_challenge=[\w-]{10}…</#), "\(result)")
        #expect(result.standardOutput.contains(#/code_verifier=[\w-]{10}…</#), "\(result)")
    }

    @Test("The diagram for a document is an SVG file of its own", arguments: ["google", "github"])
    func diagramForDocument(provider: String) async throws {
        let result = try await home.run("try", provider, "--diagram", "svg")
        #expect(result.status == 0 && result.standardError.isEmpty, "\(result)")
        let file = try XMLDocument(data: Data(result.standardOutput.utf8))
        let root = try #require(file.rootElement())
        #expect(root.name == "svg" && root.uri == "http://www.w3.org/2000/svg")
        func all(_ path: String) throws -> [String] { try file.nodes(forXPath: path).compactMap(\.stringValue) }
        #expect(try all("//*[local-name()='title']").first?.hasPrefix("Sign-in with ") == true)
        let texts = try all("//*[local-name()='text']")
        #expect(texts.filter { $0.contains(#/^\d+\. /#) }.count == (try await requestCount(provider)))
        #expect(try all("//@href").isEmpty && all("//*[local-name()='script']").isEmpty)
    }

    @Test("The diagram of a sign-in that fails ends where it failed, and the error is on stderr")
    func diagramOfFailure() async throws {
        let result = try await home.run(
            "try", "google", "--redirect-uri", "com.example.app://wrong?x", "--diagram", "text")
        #expect(result.status == 1 && result.standardError.contains("redirects"), "\(result)")
        #expect(!result.standardOutput.contains("Token request"))
        let both = try await home.run("try", "google", "--diagram", "text", "--json")
        #expect(both.status == 2 && both.standardError.contains("cannot be combined"), "\(both)")
    }

    @Test("further tokens, looked-up values and their requests are shown, and no secret input is")
    func showsTheRestOfTheSignIn() async throws {
        try home.write(
            """
            carnet: 1
            id: team
            name: Team
            inputs: { key: { secret: true, example: k-hidden-1 } }
            endpoints: { authorization: https://id.team.example/a, token: https://id.team.example/t }
            scopes: { default: [read] }
            token:
              parameters: { key: "{key}" }
              response:
                token_sets: { user: /authed_user }
            connection:
              lookups:
                site: { url: https://api.team.example/sites, value: /id, sample: [{ id: s-1 }] }
                page:
                  url: https://api.team.example/pages
                  method: POST
                  body: json
                  parameters: { of: "{connection.site}", key: "{key}" }
                  value: /id
                  sample: { id: p-1 }
              on_connect: [https://api.team.example/hello]
            samples:
              token:
                access_token: bot-1
                token_type: Bearer
                scope: read
                authed_user: { access_token: user-1, token_type: Bearer }

            """, to: "providers/team.yaml")
        let result = try await home.run("try", "team")
        #expect(result.status == 0, "\(result)")
        #expect(result.standardOutput.contains("> GET https://api.team.example/sites"))
        #expect(result.standardOutput.contains(/tokens of user +issued/))
        #expect(result.standardOutput.contains(/connection.site +/))
        let json = try await home.run("try", "team", "--json")
        let steps = try #require(try json.json()["steps"] as? [[String: Any]])
        let rest = try #require(steps.first { $0["title"] as? String == "Rest of the sign-in" })
        #expect((rest["exchanges"] as? [Any])?.count == 3)
        #expect(try request("connection", in: json)["url"] as? String == "https://api.team.example/sites")
        #expect(json.standardOutput.contains(#"{\"of\":\"s-1\",\"key\":\"[redacted]\"}"#))
        let findings = try #require(rest["findings"] as? [String: String])
        #expect(findings["tokens of user"] == "issued")
        for text in [result.standardOutput, json.standardOutput] {
            for secret in ["k-hidden-1", "bot-1", "user-1"] { #expect(!text.contains(secret), "\(text)") }
        }
    }

    @Test("A profile without a subject fails, unless the descriptor says that nobody has one")
    func profileWithoutSubject() async throws {
        let file = """
            carnet: 1
            id: team
            name: Team
            endpoints:
              authorization: https://id.team.example/a
              token: https://id.team.example/t
              userinfo: https://id.team.example/me
            profile: PROFILE
            samples: { userinfo: { name: Team } }

            """
        let derived = "{ claims: { subject: [], number: /number }, derive: { subject: '{claim.number}' } }"
        try home.write(file.replacing("PROFILE", with: derived), to: "providers/team.yaml")
        let result = try await home.run("try", "team")
        #expect(result.status == 1, "\(result)")
        #expect(result.standardError.contains("no value for the subject that 'derive' makes [T003]"), "\(result)")
        try home.write(file.replacing("PROFILE", with: "{ subject: { none: A team. } }"), to: "providers/team.yaml")
        #expect(try await home.run("try", "team").status == 0)
        let sandbox = try await RunningSandbox(home, "team")
        defer { sandbox.run.stop() }
        let login = try await home.logIn("team", "--sandbox", sandbox.address, "--account", "ours")
        #expect(login.status == 0, "\(login)")
        let profile = try await home.run("profile", "team", "--sandbox", sandbox.address)
        #expect(profile.status == 0 && profile.standardOutput.contains("Team"), "\(profile)")
    }

    @Test("The token request of Auth0 is JSON, those of the others are forms")
    func theTokenRequestOfAuth0() async throws {
        for (provider, type) in [
            ("auth0", "application/json"), ("google", "application/x-www-form-urlencoded"),
            ("cloudentity", "application/x-www-form-urlencoded"),
        ] {
            let sent = try request("token request", in: try await home.run("try", provider, "--json"))
            #expect((sent["headers"] as? [String: String])?["Content-Type"] == type)
            let body = try #require(sent["body"] as? String)
            #expect(body.contains("authorization_code") && body.hasPrefix("{") == (provider == "auth0"))
        }
    }

    @Test("Inputs that nobody gave are the descriptor's examples, and that is said")
    func inputsThatNobodyGave() async throws {
        let result = try await home.run("try", "auth0")
        #expect(result.standardOutput.contains("domain = dev-example.us.auth0.com  (example)"))
        #expect(try await home.run("try", "auth0", "--json").json()["example_inputs"] as? [String] == ["domain"])
    }

    @Test("Values with reserved characters and beyond ASCII arrive as they are")
    func valuesWithReservedCharactersAndBeyond() async throws {
        let value = "a+b&c=d%20e f/é漢"
        let result = try await home.run("try", "auth0", "--input", "audience=\(value)", "--json")
        #expect(result.status == 0, "\(result)")
        let url = try #require(try request("authorization", in: result)["url"] as? String)
        let audience = url.split(separator: "&").first { $0.hasPrefix("audience=") }?.dropFirst("audience=".count)
        #expect(audience == "a%2Bb%26c%3Dd%2520e%20f%2F%C3%A9%E6%BC%A2")
        #expect(audience?.removingPercentEncoding == value)
    }

    @Test("A resource that is not granted is rejected, which is right")
    func aResourceThatIsNotGranted() async throws {
        let acme =
            Sample.acme() + """
                resources:
                  - { scope: email, title: Balance, url: https://api.acme.example/balance }
                  - { scope: phone, title: Phone, url: https://api.acme.example/phone }

                """
        try home.write(acme, to: "acme.yaml")
        let result = try await home.run("try", "acme.yaml")
        #expect(result.status == 0, "\(result)")
        #expect(result.standardOutput.contains("Resource: Balance"))
        #expect(result.standardOutput.contains("Resource that was not granted: Phone"))
        #expect(result.standardOutput.contains("< 403"))
        #expect(result.standardOutput.contains("Phone, which needs phone"))
    }

    @Test("A redirect URI that the provider does not accept fails at the step that says so")
    func aRedirectURIThatTheProvider() async throws {
        let result = try await home.run("try", "google", "--redirect-uri", "com.example.app://wrong?x", "--json")
        #expect(result.status == 1)
        let document = try result.json()
        #expect(document["ok"] as? Bool == false)
        let error = try #require((document["steps"] as? [[String: Any]])?.first?["error"] as? [String: Any])
        #expect(error["descriptor_key"] as? String == "redirects")
        #expect((error["next"] as? [String])?.first?.contains("{bundle_id}:/{path}") == true)
    }

    @Test("A provider without loopback gets a redirect URI of a form that it accepts")
    func aProviderWithoutLoopbackGets() async throws {
        try home.write(Sample.acme() + "redirects: [\"{bundle_id}:/{path}\"]\n", to: "acme.yaml")
        let result = try await home.run("try", "acme.yaml", "--json")
        #expect(result.status == 0, "\(result)")
        #expect(try result.json()["redirect_uri"] as? String == "com.example.app:/callback")
    }

    private static let plain = """
        carnet: 1
        id: team
        name: Team
        endpoints:
          authorization: https://id.team.example/a
          token: https://id.team.example/t
          userinfo: https://api.team.example/me?of={callback.merchant}
        callback: { capture: { merchant: { example: M1 }, ticket: { example: T-hidden, secret: true } } }
        profile: { claims: { subject: /id } }
        samples: { userinfo: { id: 1 } }

        """

    @Test("A value that is not secret is shown, and a secret one only on request")
    func showsCapturedValues() async throws {
        try home.write(Self.plain, to: "providers/team.yaml")
        let hidden = try await home.run("try", "team")
        #expect(hidden.status == 0 && hidden.standardOutput.contains(/callback\.merchant +M1\n/), "\(hidden)")
        #expect(hidden.standardOutput.contains("&merchant=M1\n"))
        #expect(hidden.standardOutput.contains(/callback\.ticket +\[redacted\]\n/))
        #expect(!hidden.standardOutput.contains("T-hidden"))
        let shown = try await home.run("try", "team", "--show-secrets")
        #expect(shown.standardOutput.contains(/callback\.ticket +T-hidden\n/), "\(shown)")
        #expect(!shown.standardOutput.contains("[redacted]"))
    }

    @Test("A provider without scopes grants none, and no line ends with a space")
    func showsNoScopes() async throws {
        try home.write(Self.plain, to: "providers/team.yaml")
        let result = try await home.run("try", "team")
        #expect(result.standardOutput.matches(of: /granted +none\n/).count == 3, "\(result)")
        #expect(result.standardOutput.split(separator: "\n").allSatisfy { !$0.hasSuffix(" ") })
    }

    @Test(
        "What is simulated without evidence is said of each descriptor",
        arguments: [
            ("", ["the metadata: ", "the token response: ", "the rotation ", "the status of an expired "]),
            (
                "discovery: none\nendpoints: { authorization: https://id.team.example/a, token: https://id.team.example/t, "
                    + "jwks: https://id.team.example/keys, userinfo: https://id.team.example/me }\n",
                ["the token response: ", "the rotation ", "the status of an expired "]
            ),
            (
                "refresh: { rotation: keep_old }\napi: { errors: { error: /error } }\n"
                    + "samples: { token: { access_token: a, token_type: Bearer, id_token: a, refresh_token: a } }\n",
                ["the metadata: "]
            ),
            (
                "profile: { claims: { subject: /number } }\n",
                [
                    "the metadata: ", "the profile: ", "the token response: ", "the rotation ",
                    "the status of an expired ",
                ]
            ),
        ])
    func simulatedOfAnIssuer(_ keys: String, _ expected: [String]) async throws {
        let head = "carnet: 1\nid: team\nname: Team\nissuer: https://id.team.example\nscopes: { default: [openid] }\n"
        try home.write(head + keys, to: "providers/team.yaml")
        let result = try await home.run("try", "team", "--json")
        #expect(result.status == 0, "\(result)")
        let simulated = try #require(try result.json()["simulated"] as? [String])
        #expect(simulated.count == expected.count, "\(simulated)")
        for (text, start) in zip(simulated, expected) { #expect(text.hasPrefix(start), "\(simulated)") }
    }

    @Test("The sign-out at the provider is a step with its URL, and the sandbox accepts it")
    func showsSignOut() async throws {
        let file = """
            carnet: 1
            id: team
            name: Team
            issuer: https://id.team.example
            discovery: none
            endpoints:
              authorization: https://id.team.example/a
              token: https://id.team.example/t
              jwks: https://id.team.example/keys
              end_session: https://id.team.example/out
            scopes: { default: [openid] }
            logout: LOGOUT

            """
        func url(_ logout: String, _ options: String...) async throws -> String {
            try home.write(file.replacing("LOGOUT", with: logout), to: "providers/team.yaml")
            let result = try await home.start(["try", "team", "--json"] + options).finish()
            #expect(result.status == 0, "\(result)")
            return try #require(try request("sign-out", in: result)["url"] as? String)
        }
        let target = "http%3A%2F%2F127.0.0.1%3A49152%2Fcallback"
        #expect(
            try await url("{ rename: { post_logout_redirect_uri: back, id_token_hint: hint }, parameters: { p: x } }")
                == "https://id.team.example/out?hint=[redacted]&client_id=carnet-sandbox&back=\(target)"
                + "&state=[redacted]&p=x")
        // Without an id of the client, the sandbox still knows where browsers may return to.
        #expect(
            try await url("{ omit: [id_token_hint, client_id, state] }", "--show-secrets")
                == "https://id.team.example/out?post_logout_redirect_uri=\(target)")
        #expect(try await url("{}", "--show-secrets").contains(/id_token_hint=eyJ[\w.-]+&/))
    }

    @Test("An input that is the client id by default is that of the test client, and no example")
    func inputOfClient() async throws {
        try home.write(
            """
            carnet: 1
            id: team
            name: Team
            inputs: { scope: { default: '{client.id}' } }
            endpoints: { authorization: 'https://id.team.example/a', token: 'https://id.team.example/t' }
            scopes: { default: ['{scope}'] }
            profile: { from: token, claims: { subject: /id } }
            samples: { token: { access_token: redacted, token_type: Bearer, id: 7 } }

            """, to: "providers/team.yaml")
        let result = try await home.run("try", "team")
        #expect(result.status == 0, "\(result)")
        #expect(result.standardOutput.contains("&scope=carnet-sandbox\n"), "\(result)")
        #expect(result.standardOutput.contains("scope = carnet-sandbox\n"), "\(result)")
    }

    @Test("A provider without a page that ends the session has no such step")
    func noSignOut() async throws {
        try home.write(Self.plain, to: "providers/team.yaml")
        let result = try await home.run("try", "team")
        #expect(result.status == 0 && !result.standardOutput.contains("Sign-out"), "\(result)")
    }
}
