import Foundation
import Testing

/// The user's browser, played by a program of its opener's name that notes the address.
@Suite("Browser")
struct BrowserTests {
    private let home: CommandHome
    private let notes: URL
    private let path: [String: String]

    init() throws {
        home = try CommandHome()
        notes = home.folder.appending(path: "opened")
        let script = "#!/bin/sh\nprintf '%s\\n' \"$1\" >> '\(notes.path)'\n"
        let file = try home.write(script, to: "bin/xdg-open")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        path = ["PATH": home.folder.appending(path: "bin").path + ":/usr/bin:/bin"]
    }

    #if os(Linux)
        @Test("The page opens in the browser, and is printed if it cannot")
        func thePageOpensInTheBrowser() async throws {
            let sandbox = try await RunningSandbox(home, "google")
            let login = ["login", "google", "--sandbox", sandbox.address]
            let run = try home.start(login, environment: path)
            _ = try await run.line(of: .standardError) { $0.hasPrefix("opening the browser") }
            let page = try await opened()
            #expect(
                page.hasPrefix("http://127.0.0.1:") && !page.contains("state="), "others see what the opener is given")
            let address = try #require(try await Browser().get(page).location)
            #expect(address.hasPrefix(sandbox.address + "/accounts.google.com/o/oauth2/v2/auth?"))
            try await Browser().open(address)
            let result = try await run.finish()
            #expect(result.status == 0, "\(result)")
            #expect(!result.standardError.contains(address))

            try FileManager.default.removeItem(at: home.folder.appending(path: "bin/xdg-open"))
            try home.write("#!/bin/sh\nexit 3\n", to: "bin/xdg-open")
            let printed = try home.start(login, environment: path)
            let fallback = try await printed.line(of: .standardError) { $0.hasPrefix("http") }
            try await Browser().open(fallback)
            #expect(try await printed.finish().status == 0)
        }

        @Test("Signing out everywhere opens the provider's page, and never prints its address")
        func signingOutEverywhereOpensTheProviders() async throws {
            let sandbox = try await RunningSandbox(home, "auth0")
            try await home.logIn("auth0", "--sandbox", sandbox.address)
            let logout = try home.start(
                ["logout", "auth0", "--everywhere", "--sandbox", sandbox.address], environment: path)
            let page = try await opened()
            #expect(page.hasPrefix("http://127.0.0.1:") && !page.contains("id_token_hint"), "others see it")
            let address = try #require(try await Browser().get(page).location)
            let result = try await logout.finish()
            #expect(result.status == 0, "\(result)")
            #expect(address.hasPrefix(sandbox.address + "/") && address.contains("/oidc/logout?"))
            #expect(address.contains("id_token_hint="))
            #expect(!"\(result)".contains("id_token_hint"))
            #expect(try await Browser().get(address).status < 400)
        }

        @Test("A sign-out everywhere leads back to where the registration says")
        func aSignOutEverywhereLeadsBack() async throws {
            let file =
                "{ client_id: own, redirect_uri: http://127.0.0.1/callback, "
                + "post_logout_redirect_uri: https://app.example/bye, inputs: { domain: login.acme.example } }"
            try home.write("auth0: \(file)\n", to: "clients.yaml")
            let sandbox = try await RunningSandbox(home, "auth0", "--clients", "clients.yaml")
            let options = ["--sandbox", sandbox.address, "--clients", "clients.yaml"]
            try await home.logIn("auth0", options[0], options[1], options[2], options[3])
            let logout = try home.start(["logout", "auth0", "--everywhere"] + options, environment: path)
            let address = try #require(try await Browser().get(try await opened()).location)
            let result = try await logout.finish()
            #expect(result.status == 0, "\(result)")
            #expect(address.contains("post_logout_redirect_uri=https%3A%2F%2Fapp.example%2Fbye"))
            let back = try await Browser().get(address).location
            #expect(back?.hasPrefix("https://app.example/bye?state=") == true, "\(back ?? "")")
        }

        /// The address that the browser was last given, once it was.
        private func opened() async throws -> String {
            let run = try CommandRun(
                URL(filePath: "/bin/sh"),
                ["-c", "until [ -s \"$0\" ]; do sleep 0.05; done; tail -n 1 \"$0\"", notes.path],
                environment: path,
                folder: home.folder
            )
            return try await run.line(0, of: .standardOutput)
        }
    #endif
}
