import Foundation
import Testing

/// Signing in at a running sandbox, and what can go wrong on the way.
@Suite("Login")
struct LoginTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    /// That nothing was kept of a sign-in that failed.
    private func expectNothingStored() async throws {
        let accounts = try await home.run("accounts")
        #expect(accounts.status == 0 && accounts.standardOutput.isEmpty)
        #expect(accounts.standardError == "no account is signed in\n")
        #expect(try home.files(endingWith: ".record").isEmpty)
    }

    @Test("Every shipped provider is signed in to with no account", arguments: ["google", "cloudentity", "auth0"])
    func everyShippedProviderIsSigned(_ provider: String) async throws {
        let sandbox = try await RunningSandbox(home)
        let login = try await home.logIn(provider, "--sandbox", sandbox.address)
        #expect(login.status == 0, "\(login)")
        #expect(login.standardOutput.hasPrefix("signed in to "))
        let lines = login.standardError.split(separator: "\n")
        #expect(lines[0].hasPrefix("redirect URI: http://127.0.0.1/callback (any port; this time "))
        #expect(lines.filter { $0.hasPrefix("http") }.count == 1)
    }

    @Test("An account lives from its sign-in to its sign-out")
    func anAccountLivesFromItsSign() async throws {
        let sandbox = try await RunningSandbox(home, "google")
        let at = ["--sandbox", sandbox.address]
        try await home.logIn("google", "--scope", "openid", "--scope", "email profile", "--sandbox", sandbox.address)
        let accounts = try await home.run("accounts")
        #expect(accounts.standardOutput == "google  ada@example.com  (at a sandbox)\n")

        func run(_ arguments: String...) async throws -> CommandResult {
            let run = try home.start(arguments + at)
            return try await run.finish()
        }
        let token = try await run("token", "google")
        #expect(token.status == 0 && token.standardOutput.contains("scopes         openid email profile\n"), "\(token)")
        let raw = try await run("token", "google", "--raw")
        let secret = raw.standardOutput.trimmingCharacters(in: .newlines)
        #expect(secret.count > 10 && !secret.contains("\n"))
        #expect(!token.standardOutput.contains(secret), "the token is printed with --raw alone")

        let profile = try await run("profile", "google", "-v")
        #expect(profile.standardOutput.contains("email           ada@example.com\n"))
        #expect(profile.standardError.contains("> Authorization: Bearer [redacted]"))
        #expect(!profile.standardError.contains(secret), "not with -v either")

        let call = try await run("call", "google", "person", "--json")
        #expect(try call.json()["status"] as? Int == 200)
        let refreshed = try await run("refresh", "google")
        #expect(refreshed.status == 0, "\(refreshed)")
        #expect(try await run("token", "google", "--raw").standardOutput != raw.standardOutput)

        let logout = try await run("logout", "google", "--revoke")
        #expect(
            logout.standardOutput == "signed out ada@example.com\n  the tokens are revoked at Google\n", "\(logout)")
        try await expectNothingStored()
        let after = try await run("profile", "google")
        #expect(after.status == 1 && after.standardError.contains("run carnet login google"))
    }

    @Test("The end of the refresh token is shown if the provider states it")
    func endOfTheRefreshToken() async throws {
        let sandbox = try await RunningSandbox(home, "keycloak")
        let login = try await home.logIn("keycloak", "--sandbox", sandbox.address)
        let row = /refresh token +yes, ends 20[0-9TZ:-]+ \(in (29|30) min\)\n/
        #expect(login.standardOutput.contains(row), "\(login)")
        let token = try await home.run("token", "keycloak", "--sandbox", sandbox.address, "--json")
        #expect((try token.json()["refresh_token_expires_at"] as? String)?.hasPrefix("20") == true, "\(token)")
    }

    @Test("With several accounts one must be named")
    func withSeveralAccountsOneMust() async throws {
        let sandbox = try await RunningSandbox(home, "google")
        try await home.logIn("google", "--sandbox", sandbox.address, "--account", "work")
        try await home.logIn("google", "--sandbox", sandbox.address, "--account", "home")
        let unnamed = try await home.run("profile", "google", "--sandbox", sandbox.address)
        #expect(unnamed.status == 2)
        #expect(unnamed.standardError.contains("google has 2 accounts"))
        #expect(unnamed.standardError.contains("add --account NAME, one of: home, work"))
        let wrong = try await home.run("profile", "google", "--account", "wrk", "--sandbox", sandbox.address)
        #expect(wrong.status == 2 && wrong.standardError.contains("signed in: home, work"), "\(wrong)")
        let named = try await home.run("profile", "google", "--account", "work", "--sandbox", sandbox.address)
        #expect(named.status == 0)
    }

    @Test("An opaque access token has no claims to show, and a JWT's are not verified")
    func anOpaqueAccessTokenHas() async throws {
        let sandbox = try await RunningSandbox(home, "google")
        try await home.logIn("google", "--sandbox", sandbox.address)
        let opaque = try await home.run("token", "google", "--payload", "--sandbox", sandbox.address)
        #expect(opaque.status == 1 && opaque.standardOutput.isEmpty)
        #expect(opaque.standardError.contains("is opaque: it is not a JWT"))
    }

    @Test("No client id is a usage error that says where one is given")
    func noClientIdIsAUsage() async throws {
        let result = try await home.run("login", "google")
        #expect(result.status == 2)
        #expect(result.standardError.hasPrefix("carnet: no client id for google\n"))
        for text in [
            "http://127.0.0.1/callback", "--client-id", "CARNET_GOOGLE_CLIENT_ID", "~/.config/carnet/clients.yaml",
        ] {
            #expect(result.standardError.contains(text), "\(text)")
        }
        let json = try await home.run("login", "google", "--json").json()
        let error = try #require(json["error"] as? [String: Any])
        #expect(error["redirect_uri"] as? String == "http://127.0.0.1/callback")
    }

    @Test("An unknown provider is a usage error with the nearest name")
    func anUnknownProviderIsAUsage() async throws {
        let result = try await home.run("login", "gogle")
        #expect(result.status == 2)
        #expect(result.standardError.contains("there is no provider \"gogle\"; did you mean google?"))
    }

    @Test("An input that is missing, unknown or refused is a usage error")
    func anInputThatIsMissingUnknown() async throws {
        let missing = try await home.run("login", "auth0", "--client-id", "x")
        #expect(missing.status == 2 && missing.standardError.contains("CARNET_AUTH0_INPUT_DOMAIN"), "\(missing)")
        let unknown = try await home.run("login", "auth0", "--client-id", "x", "--input", "domian=a.b")
        #expect(unknown.status == 2 && unknown.standardError.contains("did you mean domain?"))
        let refused = try await home.run("login", "auth0", "--client-id", "x", "--input", "domain=https://a.b/c")
        #expect(refused.status == 2 && refused.standardError.contains("without a path"))
        #expect(try await home.run("login", "auth0", "--input", "domain").status == 2)
    }

    @Test("Ctrl-C ends a sign-in with 130 and keeps nothing")
    func ctrlCEndsASign() async throws {
        for way in ["--no-browser", "--paste"] {
            let run = try home.start(["login", "google", "--client-id", "x", way])
            _ = try await run.line(of: .standardError) { $0.hasPrefix("https://accounts.google.com/") }
            run.send(signal: SIGINT)
            let result = try await run.finish()
            #expect(result.status == 130, "\(result)")
            #expect(result.standardOutput.isEmpty)
        }
        try await expectNothingStored()
    }

    @Test("A sign-in that takes too long ends, and keeps nothing")
    func aSignInThatTakesToo() async throws {
        let result = try await home.run("login", "google", "--client-id", "x", "--no-browser", "--timeout", "1")
        #expect(result.status == 1)
        #expect(result.standardError.contains("begin the sign-in again"), "\(result)")
        try await expectNothingStored()
    }

    @Test("A callback with another state is rejected, and the right one still comes through")
    func aCallbackWithAnotherState() async throws {
        let sandbox = try await RunningSandbox(home, "google")
        let login = try await home.startLogin(["google", "--sandbox", sandbox.address])
        let browser = Browser()
        let callback = try #require(try await browser.get(login.address).location)
        let forged = callback.replacing("state=", with: "state=x")
        #expect(try await browser.get(forged).status == 400)
        #expect(try await browser.get(callback).status == 200)
        #expect(try await login.run.finish().status == 0)
    }

    @Test("The callback can be pasted")
    func theCallbackCanBePasted() async throws {
        let sandbox = try await RunningSandbox(home, "google")
        let run = try home.start(["login", "google", "--sandbox", sandbox.address, "--paste"])
        let address = try await run.line(of: .standardError) { $0.hasPrefix("http") }
        let callback = try #require(try await Browser().get(address).location)
        run.send("http://127.0.0.1/callback?code=x&state=forged")
        run.send(callback)
        let result = try await run.finish()
        #expect(result.status == 0, "\(result)")
    }

    @Test(
        "A provider that misbehaves is not signed in to",
        arguments: [
            ("denied", "server error        access_denied"),
            ("wrong-iss", "the callback names the issuer \""), ("wrong-nonce", "ID token: "),
            ("bad-signature", "the ID token's signature is invalid"), ("wrong-audience", "ID token: "),
            ("expired-id-token", "ID token: "), ("missing-id-token", "the response has no ID token"),
            ("token-html", "token request: "), ("token-500", "http status"),
            ("token-down", "no response from the server"),
        ])
    func aProviderThatMisbehaves(_ fault: String, _ words: String) async throws {
        let sandbox = try await RunningSandbox(home, "google", "--fault", fault)
        let login = try await home.startLogin(["google", "--sandbox", sandbox.address])
        try await Browser().open(login.address)
        let result = try await login.run.finish()
        #expect(result.status == (fault == "token-500" ? 75 : 1), "\(result)")
        #expect(result.standardError.contains(words), "\(result)")
        #expect(result.standardOutput.isEmpty)
        try await expectNothingStored()
    }

    @Test("A server that responds with another state does not end the wait")
    func aServerThatRespondsWithAnother() async throws {
        let sandbox = try await RunningSandbox(home, "google", "--fault", "wrong-state")
        let login = try await home.startLogin(["google", "--sandbox", sandbox.address])
        #expect(try await Browser().open(login.address).status == 400)
        login.run.send(signal: SIGINT)
        #expect(try await login.run.finish().status == 130)
        try await expectNothingStored()
    }

    @Test("A failure says step, key with its place, status, the server's words and the redirect URI")
    func aFailureSaysStepKey() async throws {
        let port = try Sample.freePort()
        let address = "http://127.0.0.1:\(port)"
        try home.write(
            Sample.acme(issuer: address) + "endpoints:\n  token: \(address)/token\n", to: "providers/acme.yaml")
        try home.write(
            "acme: { client_id: mine, client_secret: wrong, redirect_uri: \"http://127.0.0.1/cb\" }\n",
            to: "clients.yaml"
        )
        // At its own address: a client of `--sandbox` sends no secret of the user's.
        let sandbox = try await RunningSandbox(
            home, "acme", "--port", "\(port)", "--client-id", "mine", "--client-secret-env", "PATH", "--redirect-uri",
            "http://127.0.0.1/cb")
        #expect(sandbox.address == address)
        let result = try await home.logIn("acme", "--clients", "clients.yaml", "--providers", "providers")
        #expect(result.status == 1)
        for text in [
            "carnet: token request: ", "provider            acme\n",
            "descriptor key      endpoints.token (providers/acme.yaml:",
            "http status         401\n", "server error        invalid_client\n", "http://127.0.0.1/cb",
        ] {
            #expect(result.standardError.contains(text), "\(text)\n\(result)")
        }
        #expect(!result.standardError.contains("wrong"))
        let next = result.standardError.split(separator: "\n").filter { $0.contains("  next") }
        #expect(next.count == 1, "\(result)")
        for text in ["the client id", "the secret", "client.authentication", "client.basic_encoding"] {
            #expect(next.first?.contains(text) == true, "\(text)\n\(result)")
        }
        #expect(!result.standardError.contains("is registered"), "\(result)")
    }

    @Test("A revoked refresh token ends the session")
    func aRevokedRefreshTokenEnds() async throws {
        let sandbox = try await RunningSandbox(home, "google", "--fault", "refresh-revoked")
        try await home.logIn("google", "--sandbox", sandbox.address)
        let result = try await home.run("refresh", "google", "--sandbox", sandbox.address)
        #expect(result.status == 1)
        #expect(result.standardError.contains("the provider ended the session"))
        #expect(result.standardError.contains("run carnet login google --sandbox"))
        try await expectNothingStored()
    }
}
