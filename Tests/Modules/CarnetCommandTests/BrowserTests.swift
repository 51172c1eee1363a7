// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

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

        @Test("HOST-09: Browser inherits no secret")
        func HOST_09_browserInheritsNoSecret() async throws {
            try home.write(
                """
                initech: { client_id: own, client_secret_env: INITECH_SECRET }
                globex: { client_id: own, client_key_env: GLOBEX_KEY }

                """, to: "clients.yaml")
            let sandbox = try await RunningSandbox(home, "auth0")
            let output = home.folder.appending(path: "environment").path
            try home.write(
                "#!/bin/sh\nenv > '\(output)'\nprintf '%s\\n' \"$1\" >> '\(notes.path)'\n", to: "bin/xdg-open")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: home.folder.appending(path: "bin/xdg-open").path)
            let secrets = [
                "INITECH_SECRET", "GLOBEX_KEY", "OPTION_SECRET", "CARNET_AUTH0_CLIENT_SECRET",
                "CARNET_INITECH_INPUT_KEY",
            ]
            let environment = path.merging(secrets.map { ($0, "s3cret") } + [("DISPLAY", ":7")]) { $1 }
            let options = [
                "--sandbox", sandbox.address, "--clients", "clients.yaml", "--client-secret-env", "OPTION_SECRET",
            ]
            func expectNoSecret() throws {
                let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
                #expect(lines.contains("DISPLAY=:7") && lines.contains { $0.hasPrefix("HOME=") })
                #expect(!lines.contains { $0.contains("s3cret") }, "\(lines)")
                try FileManager.default.removeItem(atPath: output)
                try FileManager.default.removeItem(at: notes)
            }

            let login = try home.start(["login", "auth0"] + options, environment: environment)
            try await Browser().open(try #require(try await Browser().get(try await opened()).location))
            #expect(try await login.finish().status == 0)
            try expectNoSecret()

            let logout = try home.start(["logout", "auth0", "--everywhere"] + options, environment: environment)
            _ = try await Browser().get(try await opened())
            _ = try await logout.finish()
            try expectNoSecret()
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
