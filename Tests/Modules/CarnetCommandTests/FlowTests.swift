import Foundation
import Testing

/// Flows beside the authorization code, at a running sandbox.
@Suite("Flow")
struct FlowTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
        try home.write(Sample.acme(), to: "providers/acme.yaml")
    }

    @Test("A person signs in on another device")
    func aPersonSignsInOnAnother() async throws {
        let sandbox = try await RunningSandbox(home, "acme")
        let run = try home.start(["login", "acme", "--device", "--sandbox", sandbox.address])
        let page = try await run.line(of: .standardError) { $0.hasPrefix("http") }
        let prefix = "and enter the code: "
        let code = try await run.line(of: .standardError) { $0.hasPrefix(prefix) }.dropFirst(prefix.count)
        #expect(page == sandbox.address + "/id.acme.example/activate")
        let shown = try await Browser().open("\(page)?user_code=\(code)")
        #expect(shown.status == 200)
        let login = try await run.finish()
        #expect(login.status == 0, "\(login)")
        #expect(login.standardOutput.hasPrefix("signed in to Acme as ada@example.com\n"))
        #expect(!login.standardError.contains("\u{2588}"), "no picture in a pipe")
    }

    @Test("A device that a person turns down is reported so")
    func aDeviceThatAPersonTurns() async throws {
        let sandbox = try await RunningSandbox(home, "acme", "--fault", "denied")
        let run = try home.start(["login", "acme", "--device", "--sandbox", sandbox.address])
        let page = try await run.line(of: .standardError) { $0.hasPrefix("http") }
        let code = try await run.line(of: .standardError) { $0.hasPrefix("and enter") }.suffix(9)
        try await Browser().open("\(page)?user_code=\(code)")
        let login = try await run.finish()
        #expect(login.status == 1)
        #expect(login.standardError.contains("access_denied"), "\(login)")
    }

    @Test("A provider without the endpoint is reported by its key")
    func aProviderWithoutTheEndpoint() async throws {
        try home.write(
            """
            carnet: 1
            id: plain
            name: Plain
            endpoints: { authorization: "https://plain.example/a", token: "https://plain.example/t" }

            """,
            to: "providers/plain.yaml"
        )
        let sandbox = try await RunningSandbox(home, "plain")
        let login = try await home.run("login", "plain", "--device", "--sandbox", sandbox.address)
        #expect(login.status == 1)
        #expect(login.standardError.contains("endpoints.device_authorization"), "\(login)")
    }

    @Test("A client gets a token of its own")
    func aClientGetsAToken() async throws {
        let sandbox = try await RunningSandbox(home, "acme")
        let token = try await home.run(
            "token", "acme", "--client-credentials", "--scope", "profile", "--resource", "https://api.acme.example/",
            "--sandbox", sandbox.address)
        #expect(token.status == 0, "\(token)")
        #expect(token.standardOutput.contains("scopes         profile\n"), "\(token)")
        let raw = try await home.run(
            "token", "acme", "--client-credentials", "--raw", "--sandbox", sandbox.address)
        #expect(raw.status == 0 && raw.standardOutput.count > 20)
        #expect(try await home.run("accounts").standardOutput.isEmpty, "nobody is signed in")
        let misused = try await home.run("token", "acme", "--scope", "profile")
        #expect(misused.status == 2)
    }

    @Test("A client calls a resource with its own token")
    func aClientCallsAResourceWithItsOwnToken() async throws {
        try home.write(
            Sample.acme()
                + "resources: [{ id: mail, scope: email, title: Mail, url: 'https://api.acme.example/mail' }]\n",
            to: "providers/acme.yaml"
        )
        let sandbox = try await RunningSandbox(home, "acme")
        func call(_ arguments: String...) async throws -> CommandResult {
            try await home.start(["call", "acme"] + arguments + ["--sandbox", sandbox.address]).finish()
        }
        let called = try await call("mail", "--client-credentials", "--scope", "email")
        #expect(called.status == 0 && !called.standardOutput.isEmpty, "\(called)")
        #expect(try await home.run("accounts").standardOutput.isEmpty, "nobody is signed in")
        let without = try await call("mail", "--client-credentials", "--scope", "profile")
        #expect(without.status == 1 && without.standardError.contains("add --scope email"), "\(without)")
        let undeclared = try await call("https://evil.example/", "--client-credentials")
        #expect(undeclared.status == 1 && undeclared.standardOutput.isEmpty, "\(undeclared)")
        #expect(try await call("mail").status != 0, "there is no account")
        #expect(try await call("mail", "--scope", "email").status == 2)
        #expect(try await call("mail", "--client-credentials", "--account", "ada").status == 2)
    }

    @Test("A resource that wants a stronger sign-in says how to get it")
    func aResourceThatWantsAStronger() async throws {
        try home.write(
            Sample.acme()
                + "resources: [{ id: mail, scope: email, title: Mail, url: 'https://api.acme.example/mail' }]\n",
            to: "providers/acme.yaml"
        )
        let sandbox = try await RunningSandbox(home, "acme", "--fault", "step-up")
        let at = ["--sandbox", sandbox.address]
        try await home.logIn("acme", "--sandbox", sandbox.address)
        let call = try await home.start(["call", "acme", "mail"] + at).finish()
        #expect(call.status == 1)
        let next = "run carnet login acme --acr urn:carnet:acr:2 --max-age 3600"
        #expect(call.standardError.contains(next), "\(call)")
        try await home.logIn(
            "acme", "--acr", "urn:carnet:acr:2", "--max-age", "3600", "--pushed", "--prompt", "login", "--resource",
            "https://api.acme.example/", "--authorization-details", #"[{"type":"mail"}]"#, "--sandbox",
            sandbox.address)
        let again = try await home.start(["call", "acme", "mail"] + at).finish()
        #expect(again.status == 0, "\(again)")
    }

    @Test("A parameter of one sign-in is in its authorization request")
    func parameterOfOneSignIn() async throws {
        try home.write(Sample.acme(), to: "providers/acme.yaml")
        let sandbox = try await RunningSandbox(home, "acme")
        defer { sandbox.run.stop() }
        let login = try await home.startLogin(["acme", "--parameter", "account_id=1=2", "--sandbox", sandbox.address])
        #expect("\(login.address)".contains("&account_id=1%3D2"), "\(login.address)")
        try await Browser().open(login.address)
        #expect(try await login.run.finish().status == 0)
        for pair in ["account_id", "=1"] {
            let refused = try await home.run("login", "acme", "--parameter", pair, "--sandbox", sandbox.address)
            #expect(refused.status == 2 && refused.standardError.contains("NAME=VALUE"), "\(refused)")
        }
    }

    @Test("An account's token is exchanged for another")
    func anAccountsTokenIsExchanged() async throws {
        let sandbox = try await RunningSandbox(home, "acme")
        try await home.logIn("acme", "--sandbox", sandbox.address)
        let own = try await home.run("token", "acme", "--raw", "--sandbox", sandbox.address)
        let other = try await home.run(
            "token", "acme", "--exchange", "--audience", "billing", "--raw", "--sandbox", sandbox.address)
        #expect(other.status == 0 && other.standardOutput.count > 20, "\(other)")
        #expect(own.standardOutput != other.standardOutput)
        #expect(try await home.run("token", "acme", "--audience", "billing").status == 2)
    }

    /// A key of a client, on P-256, for its owner alone.
    private func writeKey() throws -> URL {
        let key = try #require(
            Bundle.module.url(forResource: "client-key", withExtension: "pem", subdirectory: "Fixtures"))
        let copy = try home.write(try String(contentsOf: key, encoding: .utf8), to: "key.pem")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path)
        return copy
    }

    @Test("A client's key signs requests and assertions, and its tokens are looked up")
    func aClientsKeySignsRequests() async throws {
        _ = try writeKey()
        let clients = try home.write(
            "acme: { client_id: own, client_key_file: key.pem, redirect_uri: 'http://127.0.0.1/callback' }\n",
            to: "clients.yaml"
        ).path
        try home.write(
            Sample.acme() + "client: { authentication: [private_key_jwt] }\n", to: "providers/acme.yaml")
        let sandbox = try await RunningSandbox(home, "acme", "--clients", clients)
        let login = try await home.logIn(
            "acme", "--signed", "--response-mode", "jwt", "--clients", clients, "--sandbox", sandbox.address)
        #expect(login.status == 0, "\(login)")
        let known = try await home.run(
            "token", "acme", "--introspect", "--clients", clients, "--sandbox", sandbox.address)
        #expect(known.status == 0 && known.standardOutput.hasPrefix("active     yes\n"), "\(known)")
        #expect(known.standardOutput.contains("scopes     openid profile email\n"), "\(known)")
        let token = try await home.run(
            "token", "acme", "--jwt-bearer", "--subject", "ada", "--scope", "profile", "--clients", clients,
            "--sandbox", sandbox.address)
        #expect(token.status == 0 && token.standardOutput.contains("scopes         profile\n"), "\(token)")
        for misused in [
            ["--subject", "ada"], ["--jwt-bearer", "--assertion-env", "ASSERTION", "--sandbox", sandbox.address],
            ["--jwt-bearer", "--client-credentials"], ["--introspect", "--raw"],
        ] {
            #expect(try await home.start(["token", "acme"] + misused).finish().status == 2)
        }
    }

    @Test("A client registers itself, and signs in", arguments: [false, true])
    func aClientRegistersItselfAndSigns(_ isConfidential: Bool) async throws {
        let sandbox = try await RunningSandbox(home, "acme")
        let file = home.folder.appending(path: "clients.yaml")
        let arguments = ["register", "acme", "--output", file.path, "--sandbox", sandbox.address]
        let register = try await home.start(arguments + (isConfidential ? ["--confidential"] : [])).finish()
        #expect(register.status == 0 && register.standardOutput.hasPrefix("registered registered-"), "\(register)")
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("client_secret:") == isConfidential)
        let login = try await home.logIn("acme", "--clients", file.path, "--sandbox", sandbox.address)
        #expect(login.status == 0, "\(login)")
    }

    @Test("A file that cannot be changed is reported before a client is registered")
    func aFileThatCannotBeChanged() async throws {
        let sandbox = try await RunningSandbox(home, "acme")
        let inline = try home.write("{ other: { client_id: a } }\n", to: "inline.yaml")
        let link = home.folder.appending(path: "link.yaml")
        try FileManager.default.createDirectory(
            at: home.folder.appending(path: ".clients.yaml.carnet-new"), withIntermediateDirectories: false)
        for (file, reason) in [
            (inline.path, "cannot be changed"),
            (home.folder.appending(path: "none/clients.yaml").path, "cannot be written"),
            (home.folder.appending(path: "clients.yaml").path, "cannot be written"),
        ] {
            let result = try await home.run(
                "register", "acme", "--output", file, "--sandbox", sandbox.address, "--verbose")
            #expect(result.status != 0 && result.standardError.contains(reason), "\(result)")
            #expect(!result.standardError.contains("POST "), "\(result)")
        }
        // A link stays one, and files beside stay.
        let real = try home.write("", to: "real.yaml")
        try home.write("mine", to: "real.yaml.tmp")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
        let linked = try await home.run("register", "acme", "--output", link.path, "--sandbox", sandbox.address)
        #expect(linked.status == 0, "\(linked)")
        #expect(try String(contentsOf: real, encoding: .utf8).contains("client_id"))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == real.path)
        #expect(try String(contentsOfFile: real.path + ".tmp", encoding: .utf8) == "mine")
    }

    /// The descriptor of the sandbox names the method, that of the command leaves it to the metadata.
    @Test("A client registers with an announced method", arguments: ["client_secret_post", "client_secret_jwt"])
    func aClientRegistersWithAnAnnouncedMethod(_ method: String) async throws {
        let server = Sample.acme() + "client: { authentication: [\(method)] }\n"
        try home.write(server, to: "providers/acme.yaml")
        let sandbox = try await RunningSandbox(home, "acme")
        try home.write(Sample.acme(), to: "providers/acme.yaml")
        let file = home.folder.appending(path: "clients.yaml").path
        let at = ["--sandbox", sandbox.address]
        let registered = try await home.start(
            ["register", "acme", "--output", file, "--confidential", "--json"] + at
        ).finish()
        #expect(try registered.json()["authentication_method"] as? String == method, "\(registered)")
        let login = try await home.logIn("acme", "--clients", file, "--sandbox", sandbox.address)
        #expect(login.status == 0, "\(login)")
    }

    @Test("A registration names what the options say, and each value is checked")
    func aRegistrationNamesWhatTheOptionsSay() async throws {
        let sandbox = try await RunningSandbox(home, "acme")
        let file = home.folder.appending(path: "clients.yaml")
        let arguments = ["register", "acme", "--output", file.path, "--sandbox", sandbox.address]
        let invalid = [
            ["--contact", "ada"], ["--client-uri", "ftp://acme.example/"], ["--id-token-alg", "none"],
            ["--frontchannel-logout-uri", "https://acme.example/out"], ["--request-object-alg", "ES256"],
            ["--software-version", "2.1"],
        ]
        for options in invalid {
            let refused = try await home.start(arguments + options).finish()
            #expect(refused.status == 1 && !FileManager.default.fileExists(atPath: file.path), "\(options): \(refused)")
        }
        let all = [
            "--contact", "ada@acme.example", "--client-uri", "https://acme.example/", "--logo-uri",
            "https://acme.example/logo.png", "--policy-uri", "https://acme.example/policy", "--tos-uri",
            "https://acme.example/terms", "--post-logout-redirect-uri", "http://127.0.0.1/signed-out",
            "--backchannel-logout-uri", "https://acme.example/back", "--initiate-login-uri",
            "https://acme.example/initiate", "--id-token-alg", "RS256", "--software-id",
            "4NRB1-0XZABZI9E6-5SM3R", "--software-version", "2.1", "--verbose",
        ]
        let registered = try await home.start(arguments + all).finish()
        #expect(registered.status == 0, "\(registered)")
        for sent in [
            #""application_type": "native""#, #""ada@acme.example""#, #""client_uri": "https://acme.example/""#,
            #""software_id": "4NRB1-0XZABZI9E6-5SM3R""#, #""software_version": "2.1""#,
        ] {
            #expect(registered.standardError.contains(sent), "\(registered)")
        }
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains(#"post_logout_redirect_uri: "http://127.0.0.1/signed-out""#))
        let login = try await home.logIn("acme", "--clients", file.path, "--sandbox", sandbox.address)
        #expect(login.status == 0, "\(login)")
    }

    // DCR-04.
    @Test("A registration is read, updated beside others in its file, and taken back")
    func aRegistrationIsReadUpdatedBeside() async throws {
        let sandbox = try await RunningSandbox(home, "acme")
        let other = "# mine\nother: { client_id: x }  # kept\n"
        let file = try home.write(other, to: "clients.yaml")
        let arguments = ["register", "acme", "--output", file.path, "--sandbox", sandbox.address]
        func text() throws -> String { try String(contentsOf: file, encoding: .utf8) }
        func run(_ more: String...) async throws -> CommandResult {
            try await home.start(arguments + more).finish()
        }
        let first = try await run("--confidential")
        #expect(first.status == 0 && first.standardOutput.hasPrefix("registered registered-"), "\(first)")
        let registered = try text()
        #expect(registered.hasPrefix(other) && registered.contains("registration_access_token:"))
        let read = try await run("--read")
        #expect(read.status == 0 && read.standardOutput == first.standardOutput, "\(read)")
        #expect(try text() == registered)
        try home.write(registered.replacing("acme:\n", with: "acme:\n  scopes: [openid]\n"), to: "clients.yaml")
        let update = try await run("--confidential", "--name", "Other", "--redirect-uri", "http://127.0.0.1/other")
        #expect(update.status == 0 && update.standardOutput.hasPrefix("updated registered-"), "\(update)")
        let updated = try text()
        #expect(updated.hasPrefix(other) && updated.contains("scopes: [openid]"))
        #expect(updated.contains(#"redirect_uri: "http://127.0.0.1/other""#))
        let secrets = [registered, updated].map { text in
            text.split(separator: "\n").filter { $0.contains("secret:") || $0.contains("access_token:") }
        }
        #expect(secrets[0].count == 2 && secrets[1].count == 2 && Set(secrets[0]).isDisjoint(with: secrets[1]))
        let login = try await home.logIn("acme", "--clients", file.path, "--sandbox", sandbox.address)
        #expect(login.status == 0, "the new secret is the one that counts: \(login)")
        let deleted = try await run("--delete")
        #expect(deleted.status == 0 && deleted.standardOutput.hasPrefix("deleted registered-"), "\(deleted)")
        #expect(try text() == other)
        #expect(try await run("--delete").status == 2)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("A registration keeps the inputs that it was made with")
    func aRegistrationKeepsTheInputs() async throws {
        let more = "inputs: { tenant: { example: t1 } }\nauthorization: { parameters: { tenant: '{tenant}' } }\n"
        try home.write(Sample.acme() + more, to: "providers/acme.yaml")
        let sandbox = try await RunningSandbox(home, "acme")
        let file = home.folder.appending(path: "clients.yaml").path
        let arguments = ["register", "acme", "--output", file, "--sandbox", sandbox.address]
        let register = try await home.start(arguments + ["--input", "tenant=t1"]).finish()
        #expect(register.status == 0, "\(register)")
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains(#"inputs: { tenant: "t1" }"#))
        let login = try await home.logIn("acme", "--clients", file, "--sandbox", sandbox.address)
        #expect(login.status == 0, "\(login)")
        // In the file that has nothing but its comment, a client is registered like the first.
        for further in [["--read"], ["--name", "Other"], ["--delete"], ["--input", "tenant=t1"], ["--delete"]] {
            let run = try await home.start(arguments + further).finish()
            #expect(run.status == 0, "\(further): \(run)")
        }
    }

    // DCR-02, DCR-05.
    @Test("A client registers its key, signs in with it, and keeps it when it is updated")
    func aClientRegistersItsKeySigns() async throws {
        try home.write(
            Sample.acme() + "client: { authentication: [private_key_jwt] }\n", to: "providers/acme.yaml")
        let sandbox = try await RunningSandbox(home, "acme")
        let file = home.folder.appending(path: "clients.yaml").path
        let arguments = ["register", "acme", "--output", file, "--sandbox", sandbox.address, "--json"]
        let keyless = try await home.start(arguments).finish()
        #expect(keyless.status == 2 && "\(keyless)".contains("--key-file FILE"), "\(keyless)")
        let register = try await home.start(arguments + ["--key-file", try writeKey().path]).finish()
        #expect(try register.json()["authentication_method"] as? String == "private_key_jwt", "\(register)")
        let update = try await home.start(arguments + ["--name", "Other"]).finish()
        #expect(try update.json()["done"] as? String == "updated", "\(update)")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("client_key_file:") && !text.contains("client_secret") && !text.contains("PRIVATE"))
        let login = try await home.logIn("acme", "--clients", file, "--sandbox", sandbox.address)
        #expect(login.status == 0, "\(login)")
    }

    @Test("A registration that was made by hand is not overwritten")
    func aRegistrationThatWasMade() async throws {
        let sandbox = try await RunningSandbox(home, "acme")
        let file = try home.write("acme: { client_id: x }\n", to: "clients.yaml")
        let again = try await home.run("register", "acme", "--output", file.path, "--sandbox", sandbox.address)
        #expect(again.status == 2 && again.standardError.contains("that this command cannot manage"), "\(again)")
        #expect(try String(contentsOf: file, encoding: .utf8) == "acme: { client_id: x }\n")
    }
}
