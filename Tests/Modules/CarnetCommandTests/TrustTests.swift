import Foundation
import Testing

/// Where descriptors may come from, and where that lets credentials go.
@Suite("Trust")
struct TrustTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    private func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> CommandResult {
        try await home.start(arguments, environment: environment).finish()
    }

    private let refusal =
        "carnet: warning: providers/google.yaml is ignored: the id google is built in, "
        + "and ./providers overrides nothing unless it is named; to use it, add --providers providers\n"

    /// A descriptor that takes the place of one that is built in.
    private var google: String {
        Sample.acme(issuer: "https://evil.example").replacing("acme", with: "google").replacing("Acme", with: "Google")
    }

    @Test("A folder that nobody named overrides no provider, and that is said")
    func aFolderThatNobodyNamedOverrides() async throws {
        try home.write(google, to: "providers/google.yaml")
        for command in [["show", "google", "--resolved"], ["try", "google"], ["login", "google"]] {
            let result = try await run(command)
            #expect(result.standardError.contains(refusal), "\(result)")
            #expect(!result.standardOutput.contains("evil.example"), "\(result)")
        }
        let listed = try await run(["providers", "--json"])
        #expect(try listed.json()["refused"] as? [String] == ["providers/google.yaml"])
        // By whatever name the folder has.
        for folder in ["providers", "./providers/", home.folder.appending(path: "providers").path] {
            let named = try await run(["show", "google", "--resolved", "--providers", folder])
            #expect(named.standardOutput.contains("issuer: https://evil.example\n"), "\(named)")
            #expect(!named.standardError.contains("is not used"), "\(named)")
        }
        let environment = try await run(["show", "google"], environment: ["CARNET_PROVIDERS": "providers"])
        #expect(environment.standardOutput.contains("evil.example") && environment.standardError.isEmpty)
    }

    @Test("A folder that nobody named adds a provider that extends the real one")
    func aFolderThatNobodyNamedAdds() async throws {
        try home.write(google, to: "providers/google.yaml")
        try home.write("carnet: 1\nid: mine\nname: Mine\nextends: google\n", to: "providers/mine.yaml")
        let shown = try await run(["show", "mine", "--resolved"])
        #expect(shown.standardOutput.contains("issuer: https://accounts.google.com\n"), "\(shown)")
    }

    @Test("A copy of a built-in provider is not worth a word, and neither is the file that is named")
    func aCopyOfABuilt() async throws {
        let copy = try await run(["show", "google"]).standardOutput
        try home.write(copy, to: "providers/google.yaml")
        #expect(try await run(["providers"]).standardError.isEmpty)
        try home.write(google, to: "providers/google.yaml")
        let named = try await run(["show", "providers/google.yaml", "--resolved"])
        #expect(
            named.standardOutput.contains("issuer: https://evil.example\n") && named.standardError.isEmpty, "\(named)")
    }

    /// The whole of it: somebody is signed in, and then works in a folder with a descriptor of the same name.
    @Test("Stored credentials do not follow a descriptor that is dropped in")
    func storedCredentialsDoNotFollow() async throws {
        let (port, evil) = (try Sample.freePort(), try Sample.freePort())
        let acme = Sample.acme(issuer: "http://127.0.0.1:\(port)")
        try home.write(acme, to: ".config/carnet/providers/acme.yaml")
        let sandbox = try await RunningSandbox(home, "acme", "--port", "\(port)")
        try await home.logIn("acme", "--client-id", "carnet-sandbox")

        let stolen =
            acme + "endpoints: { token: 'http://localhost:\(evil)/t', userinfo: 'http://localhost:\(evil)/u' }\n"
        try home.write(stolen, to: "providers/acme.yaml")
        for command in [["profile", "acme"], ["refresh", "acme"]] {
            let result = try await run(command)
            #expect(result.status == 0, "\(result)")
            #expect(
                result.standardError.contains(
                    "providers/acme.yaml is ignored: the id acme is that of "
                        + "\(home.folder.path)/.config/carnet/providers/acme.yaml"), "\(result)")
        }
        // Named, it is used, and the stored account is not.
        for (command, key) in [("profile", "endpoints.userinfo"), ("refresh", "endpoints.token")] {
            let result = try await run([command, "acme", "--providers", "providers"])
            #expect(result.status == 1, "\(result)")
            #expect(result.standardError.contains("using the descriptor providers/acme.yaml\n"), "\(result)")
            #expect(result.standardError.contains("the request would go to http://localhost:\(evil)"), "\(result)")
            #expect(result.standardError.contains("for http://127.0.0.1:\(port)"), "\(result)")
            #expect(result.standardError.contains(key) && result.standardError.contains("sign in again"), "\(result)")
        }
        let logout = try await run(["logout", "acme", "--revoke", "--json", "--providers", "providers"])
        #expect(try logout.json()["descriptor_files"] as? [String] == ["providers/acme.yaml"])
        withExtendedLifetime(sandbox) {}
    }

    @Test("The files that say where credentials go are said, their parents too")
    func theFilesThatSayWhereCredentials() async throws {
        try home.write(Sample.acme().replacing("acme", with: "base"), to: ".config/carnet/providers/base.yaml")
        try home.write("carnet: 1\nid: child\nname: Child\nextends: base\n", to: "providers/child.yaml")
        let sandbox = try await RunningSandbox(home)
        let login = try await home.logIn("child", "--sandbox", sandbox.address)
        let parent = "\(home.folder.path)/.config/carnet/providers/base.yaml"
        #expect(
            login.standardError.contains("using the descriptor providers/child.yaml, which extends \(parent)\n"),
            "\(login)")
        let profile = try await run(["profile", "child", "--json", "--sandbox", sandbox.address])
        #expect(try profile.json()["descriptor_files"] as? [String] == ["providers/child.yaml", parent])
        try await home.logIn("google", "--sandbox", sandbox.address)
        let builtIn = try await run(["token", "google", "--json", "--sandbox", sandbox.address])
        #expect(try builtIn.json()["descriptor_files"] as? [String] == [] && builtIn.standardError.isEmpty)
    }

    @Test("What is meant for one provider is not given to one that is called nearly so")
    func whatIsMeantForOneProvider() async throws {
        try home.write(Sample.acme().replacing("id: acme", with: "id: google-"), to: "providers/google-.yaml")
        let environment = ["CARNET_GOOGLE_CLIENT_ID": "x", "CARNET_GOOGLE_CLIENT_SECRET": "s3cret"]
        let login = try await run(["login", "google-", "--no-browser"], environment: environment)
        #expect(login.status == 2 && login.standardError.contains("no client id for google-"), "\(login)")
        #expect(login.standardError.contains("CARNET_GOOGLE__CLIENT_ID"))
    }

    @Test("A clients file can say where a secret belongs")
    func aClientsFileCanSayWhere() async throws {
        let port = try Sample.freePort()
        try home.write(Sample.acme(issuer: "http://127.0.0.1:\(port)"), to: "providers/acme.yaml")
        let sandbox = try await RunningSandbox(home, "acme", "--port", "\(port)")
        func token(_ origins: String) async throws -> CommandResult {
            let text = "acme: { client_id: carnet-sandbox-confidential, client_secret: s3cret, origins: \(origins) }\n"
            let file = try home.write(text, to: ".config/carnet/clients.yaml")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            return try await run(["token", "acme", "--client-credentials"])
        }
        let elsewhere = try await token("['https://id.acme.example', 'https://other.example/']")
        #expect(elsewhere.status == 1, "\(elsewhere)")
        #expect(
            elsewhere.standardError.contains(
                "the credentials of the client carnet-sandbox-confidential are for https://id.acme.example:443, "
                    + "https://other.example:443, and the request would go to http://127.0.0.1:\(port)"), "\(elsewhere)"
        )
        // The secret is another one, which the server says: it was asked.
        let here = try await token("http://127.0.0.1:\(port)")
        #expect(here.status == 1 && here.standardError.contains("invalid_client"), "\(here)")
        let wrong = try await token("[ftp://x]")
        #expect(wrong.status == 2 && wrong.standardError.contains("clients.yaml:1:"), "\(wrong)")
        withExtendedLifetime(sandbox) {}
    }

    @Test("A client that registers itself keeps where")
    func aClientThatRegistersItselfKeeps() async throws {
        let descriptor = Sample.acme() + "endpoints: { registration: 'https://id.acme.example/register' }\n"
        try home.write(descriptor, to: "providers/acme.yaml")
        let sandbox = try await RunningSandbox(home)
        let file = home.folder.appending(path: "registered.yaml")
        let registered = try await run(
            ["register", "acme", "--output", file.path, "--json", "--sandbox", sandbox.address])
        #expect(registered.status == 0, "\(registered)")
        #expect(try registered.json()["origins"] as? [String] == ["https://id.acme.example:443"])
        #expect(try String(contentsOf: file, encoding: .utf8).contains(#"origins: ["https://id.acme.example:443"]"#))
        let updated = try await run(["register", "acme", "--output", file.path, "--sandbox", sandbox.address])
        #expect(updated.status == 0, "\(updated)")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.components(separatedBy: "origins:").count == 2, "\(text)")
        try home.write(
            descriptor.replacing("registration:", with: "token: 'https://evil.example/token', registration:"),
            to: "providers/acme.yaml")
        let login = try await home.logIn("acme", "--clients", file.path, "--sandbox", sandbox.address)
        #expect(login.status == 1 && login.standardError.contains("would go to https://evil.example:443"), "\(login)")
    }

    // MARK: The configuration folder

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: home.folder.appending(path: path).path)[.posixPermissions]
            as? Int
    }

    private func allow(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: home.folder.appending(path: path).path)
    }

    @Test("The configuration folder is made for the user alone, whatever the umask")
    func theConfigurationFolderIsMade() async throws {
        let run = try CommandRun(
            URL(filePath: "/bin/sh"),
            [
                "-c", #"umask 000; exec "$0" login google --client-id x --no-browser --timeout 1"#,
                BuiltProduct.carnet.path,
            ],
            environment: home.environment, folder: home.folder)
        #expect(try await run.finish().status == 1)
        #expect(try mode(".config/carnet") == 0o700)
    }

    @Test(
        "A configuration that others can write to is rejected, and the repair is said",
        arguments: [
            (".config/carnet", 0o777, "everybody"), (".config/carnet", 0o770, "its group"),
            (".config/carnet/providers", 0o777, "everybody"),
            (".config/carnet/providers/acme.yaml", 0o666, "everybody"),
            (".config/carnet/clients.yaml", 0o620, "its group"), (".config/carnet/key", 0o602, "everybody"),
        ])
    func aConfigurationThatOthersCanWrite(
        path: String, mode: Int, who: String
    ) async throws {
        try home.write(Sample.acme(), to: ".config/carnet/providers/acme.yaml")
        try home.write("acme: { client_id: x }\n", to: ".config/carnet/clients.yaml")
        try home.write("key", to: ".config/carnet/key")
        for path in [".config/carnet", ".config/carnet/providers"] { try allow(0o755, path) }
        for path in ["providers/acme.yaml", "clients.yaml"] { try allow(0o644, ".config/carnet/\(path)") }
        try allow(0o600, ".config/carnet/key")
        #expect(try await run(["providers"]).status == 0)
        try allow(mode, path)
        let full = home.folder.appending(path: path).path
        for command in [["providers"], ["profile", "acme"], ["login", "acme"], ["accounts"]] {
            let result = try await run(command)
            #expect(result.status == 2, "\(result)")
            #expect(result.standardError.contains("~/\(path) can be changed by \(who)"), "\(result)")
            #expect(result.standardError.contains("chmod go-w \(full)"), "\(result)")
        }
        try allow(0o700, path)
        #expect(try await run(["providers"]).status == 0)
    }

    @Test("A command that is printed has a name in quotes")
    func aNameWithAQuote() async throws {
        let file = try home.write(Sample.acme(), to: ".config/carnet/providers/a'; touch x; '.yaml")
        for path in [".config/carnet", ".config/carnet/providers"] { try allow(0o755, path) }
        #expect(chmod(file.path, 0o666) == 0)
        let result = try await run(["providers"])
        let quoted = "'" + file.path.replacing("'", with: #"'\''"#) + "'"
        #expect(result.status == 2 && result.standardError.contains("chmod go-w \(quoted)"), "\(result)")
    }

    @Test("A configuration of another user is rejected", .enabled(if: geteuid() == 0, "only root can give a file away"))
    func aConfigurationOfAnotherUser() async throws {
        let file = try home.write(Sample.acme(), to: ".config/carnet/providers/acme.yaml")
        #expect(chown(file.path, 65_534, 65_534) == 0)
        let result = try await run(["providers"])
        #expect(result.status == 2 && result.standardError.contains("acme.yaml belongs to the user "), "\(result)")
        #expect(result.standardError.contains("chown 0 /"), "\(result)")
    }
}
