import Foundation
import Testing

/// Where a client registration comes from, seen in the authorization URL.
@Suite("Client")
struct ClientTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    /// The parameters of the authorization URL that a login would show.
    private func parameters(
        _ arguments: String...,
        environment: [String: String] = [:]
    ) async throws -> [String: String] {
        let run = try home.start(["login"] + arguments + ["--no-browser"], environment: environment)
        let address = try await run.line(of: .standardError) { $0.hasPrefix("https") }
        run.send(signal: SIGINT)
        _ = try await run.finish()
        let items = URLComponents(string: address)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
            .merging(["host": URL(string: address)?.host() ?? ""]) { first, _ in first }
    }

    @Test("An option wins over --clients, that over the environment, that over the user's own file")
    func anOptionWinsOverClients() async throws {
        try home.write("google: { client_id: own }\n", to: ".config/carnet/clients.yaml")
        #expect(try await parameters("google")["client_id"] == "own")
        let environment = ["CARNET_GOOGLE_CLIENT_ID": "environment"]
        #expect(try await parameters("google", environment: environment)["client_id"] == "environment")
        try home.write("google:\n  client_id: file\n  scopes: [openid, email]\n", to: "given.yaml")
        let given = try await parameters("google", "--clients", "given.yaml", environment: environment)
        #expect(given["client_id"] == "file" && given["scope"] == "openid email")
        let option = try await parameters(
            "google", "--clients", "given.yaml", "--client-id", "a+b&c=d% é", environment: environment)
        #expect(option["client_id"] == "a+b&c=d% é")
        #expect(option["scope"] != "openid email", "the scopes belong to another registration")
    }

    @Test("A client id that the provider publishes is used where none is given")
    func publishedClient() async throws {
        try home.write(
            """
            carnet: 1
            id: acme
            name: Acme
            client: { authentication: [none], published_id: everybody }
            endpoints: { authorization: 'https://id.acme.example/authorize', token: 'https://id.acme.example/token' }
            """, to: "given/acme.yaml")
        #expect(try await parameters("acme", "--providers", "given")["client_id"] == "everybody")
        #expect(try await parameters("acme", "--providers", "given", "--client-id", "own")["client_id"] == "own")
        let environment = ["CARNET_ACME_CLIENT_ID": "mine"]
        #expect(try await parameters("acme", "--providers", "given", environment: environment)["client_id"] == "mine")
    }

    @Test("An input can be the client id by default")
    func clientIDAsInput() async throws {
        try home.write(
            """
            carnet: 1
            id: acme
            name: Acme
            inputs: { app: { default: '{client.id}', example: x } }
            endpoints: { authorization: 'https://id.acme.example/authorize', token: 'https://id.acme.example/token' }
            authorization: { parameters: { app: '{app}' } }
            """, to: "given/acme.yaml")
        #expect(try await parameters("acme", "--providers", "given", "--client-id", "own")["app"] == "own")
        let stated = try await parameters("acme", "--providers", "given", "--client-id", "own", "--input", "app=other")
        #expect(stated["app"] == "other")
        let shown = try await home.run(
            "show", "acme", "--providers", "given", "--resolved", "--client-id", "own")
        #expect(shown.standardOutput.contains("inputs:\n  app: own\n"))
    }

    @Test("Inputs come from the environment, the file and the option")
    func inputsComeFromTheEnvironment() async throws {
        try home.write("auth0: { client_id: x, inputs: { domain: file.example } }\n", to: "clients.yaml")
        #expect(try await parameters("auth0", "--clients", "clients.yaml")["host"] == "file.example")
        let environment = ["CARNET_AUTH0_INPUT_DOMAIN": "env.example"]
        #expect(try await parameters("auth0", "--client-id", "x", environment: environment)["host"] == "env.example")
        let option = try await parameters(
            "auth0", "--client-id", "x", "--input", "domain=option.example", environment: environment)
        #expect(option["host"] == "option.example")
    }

    @Test("Mistakes in a clients file are reported at their places, and never with a secret")
    func mistakesInAClientsFile() async throws {
        try home.write(
            """
            google:
              client_di: x
              client_secret: very-secret
              client_secret_env: NAME
              scopes: { a: b }
            auth0: very-secret

            """,
            to: "clients.yaml"
        )
        let result = try await home.run("login", "google", "--clients", "clients.yaml")
        #expect(result.status == 2)
        #expect(
            result.standardError == """
                clients.yaml:2:3: error: unknown key "client_di" [K001]; did you mean "client_id"?
                clients.yaml:4:3: error: the client secret is set twice [K004]; keep one of client_secret, \
                client_secret_env and client_secret_file
                clients.yaml:5:11: error: found a mapping [K002]; expected a string
                clients.yaml:6:8: error: found a string [K002]; expected a mapping with the keys client_id, client_secret, \
                client_secret_env, client_secret_file, client_key_file, client_key_env, client_key_id, \
                client_certificate_file, client_certificate_key_file, dpop_key_file, decryption_key_file, \
                redirect_uri, post_logout_redirect_uri, inputs, environment, scopes, registration_client_uri, \
                registration_access_token, origins
                carnet: clients.yaml has errors
                  next  fix the errors above

                """
        )
    }

    @Test(
        "No value of a clients file is quoted, whatever stands in its place",
        arguments: [
            "hunter2", "[hunter2]", "google: hunter2", "google: [hunter2]", "google: { client_secret: { hunter2: } }",
            "google: { client_secret: [hunter2] }", "google: { inputs: hunter2 }", "google: { origins: 'x:hunter2@y' }",
            "google: { scopes: [{ hunter2: }] }", "google: { inputs: { key: { hunter2: } } }",
        ])
    func noValueIsQuoted(text: String) async throws {
        try home.write(text + "\n", to: "clients.yaml")
        let result = try await home.run("login", "google", "--clients", "clients.yaml")
        #expect(result.status == 2 && result.standardError.contains("clients.yaml:1:"), "\(result)")
        #expect(!result.standardError.contains("hunter2"), "\(result)")
    }

    @Test("A secret that others can read is warned of")
    func aSecretThatOthersCanRead() async throws {
        let file = try home.write("google: { client_id: x, client_secret: s3cret }\n", to: "clients.yaml")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        let result = try await home.run(
            "login", "google", "--clients", "clients.yaml", "--no-browser", "--timeout", "1")
        #expect(result.standardError.contains("clients.yaml contains a client secret and is readable by other users"))
        #expect(!result.standardError.contains("s3cret"))
    }

    @Test("A clients file that others can change is warned of, whatever it contains")
    func aFileThatOthersCanChange() async throws {
        let file = try home.write("google: { client_id: x }\n", to: "clients.yaml")
        for (mode, isWarned) in [(0o644, false), (0o664, true), (0o646, true)] {
            #expect(chmod(file.path, mode_t(mode)) == 0)
            let result = try await home.run(
                "login", "google", "--clients", "clients.yaml", "--no-browser", "--timeout", "1")
            #expect(result.standardError.contains("other users can change") == isWarned, "\(mode): \(result)")
        }
    }

    @Test("A secret that is not where it should be is a usage error")
    func aSecretThatIsNotWhere() async throws {
        try home.write("google: { client_id: x, client_secret_env: NOT_SET }\n", to: "clients.yaml")
        let variable = try await home.run("login", "google", "--clients", "clients.yaml")
        #expect(variable.status == 2 && variable.standardError.contains("the environment variable NOT_SET is not set"))
        try home.write("google: { client_id: x, client_secret_file: secret.txt }\n", to: "clients.yaml")
        let file = try await home.run("login", "google", "--clients", "clients.yaml")
        #expect(file.status == 2 && file.standardError.contains("secret.txt: no such file"), "\(file)")
        #expect(try await home.run("login", "google", "--client-secret", "x").status == 2)
    }

    @Test("A file that is missing is named with the line that names it")
    func missingFileIsPlaced() async throws {
        for key in ["client_key_file", "client_secret_file"] {
            try home.write("google:\n  client_id: x\n  \(key): key.pem\n", to: "clients.yaml")
            let result = try await home.run("login", "google", "--clients", "clients.yaml")
            #expect(result.status == 2, "\(result)")
            #expect(result.standardError.contains("clients.yaml:3: \(key): key.pem: no such file"), "\(result)")
        }
    }

    @Test(
        "A clients file without provider ids at its first level is told so",
        arguments: [
            "client_id: x\nclient_secret: hunter2\n",
            "providers:\n  google: { client_id: x, client_secret: hunter2 }\n",
        ])
    func firstLevel(_ text: String) async throws {
        try home.write(text, to: "clients.yaml")
        let result = try await home.run("login", "google", "--clients", "clients.yaml")
        #expect(result.status == 2, "\(result)")
        #expect(result.standardError.contains("the first level is provider ids"), "\(result)")
        #expect(!result.standardError.contains("hunter2"), "\(result)")
        #expect(result.standardError.split(separator: "\n").count == 3, "\(result)")
    }

    @Test("The command that makes a clients file private does so")
    func theCommandThatMakesAFilePrivate() async throws {
        let file = try home.write(
            "google: { client_id: x, client_secret: s3cret }\n", to: ".config/carnet/clients.yaml")
        for path in [".config", ".config/carnet"] {
            #expect(chmod(home.folder.appending(path: path).path, 0o755) == 0)
        }
        #expect(chmod(file.path, 0o644) == 0)
        let result = try await home.run("login", "google", "--no-browser", "--timeout", "1")
        let command = try #require(result.standardError.firstMatch(of: #/run: (chmod 600 .*)/#)?.1, "\(result)")
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", String(command)]
        try shell.run()
        shell.waitUntilExit()
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600, "\(command)")
    }

    @Test("A clients file that is a link to nothing is reported")
    func aLinkToNothing() async throws {
        try home.write("", to: ".config/carnet/.keep")
        let file = home.folder.appending(path: ".config/carnet/clients.yaml").path
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "nowhere")
        for command in [["login", "google"], ["register", "google", "--output", file]] {
            let result = try await home.start(command).finish()
            #expect(result.status == 2 && result.standardError.contains("clients.yaml"), "\(result)")
            #expect(!result.standardError.contains("no client id"), "\(result)")
        }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file) == "nowhere")
    }

    @Test("A key file is read, and one that others can read or that holds no key is reported")
    func aKeyFileIsRead() async throws {
        let key = """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg
            -----END PRIVATE KEY-----

            """
        let file = try home.write(key, to: "key.pem")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        try home.write("google: { client_id: x, client_key_file: key.pem }\n", to: "clients.yaml")
        let damaged = try await home.run("login", "google", "--clients", "clients.yaml")
        #expect(damaged.status == 2)
        #expect(
            damaged.standardError.contains("key.pem is an elliptic-curve key on another curve, or damaged"),
            "\(damaged)")
        #expect(
            damaged.standardError.contains("key.pem contains a private key and is readable by other users"),
            "\(damaged)")
        #expect(!damaged.standardError.contains("MIGH"))
        let variable = try await home.run(
            "login", "google", "--client-id", "x", environment: ["CARNET_GOOGLE_CLIENT_KEY": "no key"])
        #expect(variable.status == 2)
        #expect(
            variable.standardError.contains(
                "the key in the environment variable CARNET_GOOGLE_CLIENT_KEY is neither a key in PEM form nor a JWK"),
            "\(variable)")
    }
}
