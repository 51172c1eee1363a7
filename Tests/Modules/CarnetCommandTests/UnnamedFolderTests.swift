// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import CarnetTesting
import Foundation
import Testing

/// A cloned repository with the folder `./providers`, and a user who works in it.
@Suite("Unnamed folder")
struct UnnamedFolderTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    private func run(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> CommandResult {
        try await home.start(arguments, environment: environment).finish()
    }

    private static let own = ".config/carnet/providers/acme.yaml"

    // MARK: An own file that cannot be read

    /// How a place that the user named comes to have an unknown id, and what the command says of it.
    static let unreadable: [(state: String, message: String)] = [
        ("syntax", "acme.yaml has 1 error and is skipped; run carnet lint on it"),
        ("empty", "acme.yaml has 1 error and is skipped"),
        ("dangling", "acme.yaml: no such file"), ("huge", "acme.yaml: larger than 1 MiB"),
        ("pipe", "acme.yaml: is not a regular file"), ("folder", ".config/carnet/providers: the folder cannot be read"),
        ("linked folder", ".config/carnet/providers: the folder cannot be read"),
        ("variable", "not-mounted: the folder cannot be read"),
    ]

    private func prepare(_ state: String) throws -> [String: String] {
        let path = home.folder.appending(path: Self.own).path
        let folder = home.folder.appending(path: ".config/carnet").path
        switch state {
        case "syntax": try home.write("carnet: 1\nid: acme\nname: [Acme\n", to: Self.own)
        case "empty": try home.write("", to: Self.own)
        case "huge": try home.write(String(repeating: "#\n", count: 1 << 20), to: Self.own)
        case "dangling", "pipe":
            try home.write("", to: ".config/carnet/providers/.keep")
            if state == "pipe" {
                #expect(mkfifo(path, 0o600) == 0)
            } else {
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/not-mounted/acme.yaml")
            }
        case "folder": try home.write("", to: ".config/carnet/providers")
        case "linked folder":
            try home.write("", to: ".config/other")
            try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: "/not-mounted/carnet")
        default: return ["CARNET_PROVIDERS": home.folder.appending(path: "not-mounted").path]
        }
        return [:]
    }

    @Test("an own descriptor that cannot be read frees no id", arguments: unreadable)
    func BIND_09_unreadableDescriptorFreesNoID(state: String, message: String) async throws {
        try home.write(Sample.acme(issuer: "https://evil.example"), to: "providers/acme.yaml")
        let environment = try prepare(state)
        let commands = [
            ["login", "acme", "--client-id", "x", "--no-browser", "--timeout", "1"], ["profile", "acme"],
            ["token", "acme", "--client-credentials"], ["try", "acme"], ["compare", "acme"],
        ]
        for command in commands {
            let result = try await run(command, environment)
            #expect(result.status == 2 && result.standardError.contains("there is no provider \"acme\""), "\(result)")
            #expect(result.standardError.contains(message), "\(result)")
            #expect(result.standardError.contains("./providers is ignored"), "\(result)")
            #expect(result.standardError.contains("fix it, or add --providers providers"), "\(result)")
        }
        let listed = try await run(["providers", "--json"], environment)
        #expect(try listed.json()["refused"] as? [String] == ["providers/acme.yaml"])
        let named = try await run(["try", "acme", "--providers", "providers"], environment)
        #expect(named.status == 0, "\(named)")
    }

    @Test("without an own configuration, ./providers adds")
    func BIND_09_nothingIsNoObstacle() async throws {
        try home.write(Sample.acme(), to: "providers/acme.yaml")
        let result = try await run(["try", "acme"], ["HOME": "/dev/null", "XDG_CONFIG_HOME": "/dev/null/config"])
        #expect(result.status == 0 && result.standardError.isEmpty, "\(result)")
    }

    // MARK: Secrets

    private static let secret = "the-real-s3cret-of-the-client"

    /// A provider whose token endpoint is a listener of the attacker, which also gets an input that may not be called
    /// secret.
    private func writeProvider(_ listener: RawServer, method: String = "client_secret_post") throws {
        try home.write(
            """
            carnet: 1
            id: acme
            name: Acme
            inputs: { api_key: { type: text, optional: true } }
            endpoints:
              authorization: http://\(listener.authority)/a
              token: http://\(listener.authority)/token
            client: { authentication: [\(method)] }
            token: { headers: { X-Key: "{api_key}" } }
            scopes: { default: [read] }

            """, to: "providers/acme.yaml")
    }

    private func listener() throws -> RawServer {
        let body = #"{"access_token":"a","token_type":"Bearer"}"#
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        return try RawServer([.send(head + body), .endSending])
    }

    private func writeClients(_ text: String) throws {
        let file = try home.write(text, to: ".config/carnet/clients.yaml")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    private let token = ["token", "acme", "--client-credentials"]

    @Test(
        "a descriptor that nobody named gets no secret",
        arguments: ["file", "variable", "option", "input", "input variable", "input option"])
    func BIND_11_noSecretForAnUnnamedDescriptor(place: String) async throws {
        let listener = try listener()
        try writeProvider(listener)
        var environment = ["CARNET_ACME_CLIENT_ID": "own", "S": Self.secret]
        var command = token
        switch place {
        case "file": try writeClients("acme: { client_secret: \(Self.secret) }\n")
        case "variable": environment["CARNET_ACME_CLIENT_SECRET"] = Self.secret
        case "option": command += ["--client-secret-env", "S"]
        case "input": try writeClients("acme: { inputs: { api_key: \(Self.secret) } }\n")
        case "input variable": environment["CARNET_ACME_INPUT_API_KEY"] = Self.secret
        default: command += ["--input-env", "api_key=S"]
        }
        let result = try await run(command, environment)
        #expect(result.status == 2 && listener.connections == 0, "\(result)")
        let what = place.hasPrefix("input") ? "the input api_key" : "the client secret"
        #expect(
            result.standardError.contains(
                "acme does not get \(what): its descriptor is in ./providers, which no option or variable names"),
            "\(result)")
        #expect(result.standardError.contains("servers  http://\(listener.authority)\n"), "\(result)")
        #expect(result.standardError.contains("add --providers providers, or set CARNET_PROVIDERS to"))
        #expect(!result.standardError.contains("s3cret"), "\(result)")
        if place.hasPrefix("input") {
            let compared = try await run(["compare", "acme"], environment)
            #expect(place == "input option" || compared.standardError.contains("does not get the input"), "\(compared)")
        }
        // A sandbox gets no secret anyway.
        let sandbox = try await RunningSandbox(home, "acme")
        environment["CARNET_ACME_CLIENT_ID"] = nil
        let simulated = try await run(command + ["--sandbox", sandbox.address], environment)
        #expect(simulated.status == 0, "\(simulated)")
        #expect(try await run(["try", "acme"], environment).status == 0)
        // Once named, it gets the value.
        environment["CARNET_ACME_CLIENT_ID"] = "own"
        let needed = place.hasPrefix("input") ? ["CARNET_ACME_CLIENT_SECRET": "other"] : [:]
        let named = try await run(
            command + ["--providers", "providers"], environment.merging(needed) { $1 })
        #expect(named.status == 0 && listener.requests.last?.contains(Self.secret) == true, "\(named)")
        listener.stop()
    }

    @Test("a key needs a named descriptor as well")
    func BIND_11_noKeyForAnUnnamedDescriptor() async throws {
        let listener = try listener()
        try writeProvider(listener, method: "private_key_jwt")
        let key = try #require(
            Bundle.module.url(forResource: "client-key", withExtension: "pem", subdirectory: "Fixtures"))
        let environment = ["CARNET_ACME_CLIENT_ID": "own", "CARNET_ACME_CLIENT_KEY_FILE": key.path]
        let result = try await run(token, environment)
        #expect(result.status == 2 && listener.connections == 0, "\(result)")
        #expect(result.standardError.contains("acme does not get the client's key"), "\(result)")
        let named = try await run(token, environment.merging(["CARNET_PROVIDERS": "providers"]) { $1 })
        #expect(named.status == 0 && listener.requests.count == 1, "\(named)")
        listener.stop()
    }

    @Test("a descriptor that nobody named gets a secret for the servers of `origins`")
    func BIND_11_originsAllowServers() async throws {
        let listener = try listener()
        try writeProvider(listener)
        func run(_ origin: String) async throws -> CommandResult {
            try writeClients("acme: { client_id: own, client_secret: \(Self.secret), origins: ['\(origin)'] }\n")
            return try await self.run(token)
        }
        let elsewhere = try await run("https://id.acme.example")
        #expect(elsewhere.status == 1 && listener.connections == 0, "\(elsewhere)")
        #expect(elsewhere.standardError.contains("are for https://id.acme.example:443"), "\(elsewhere)")
        let here = try await run("http://\(listener.authority)")
        #expect(here.status == 0 && listener.requests.last?.contains(Self.secret) == true, "\(here)")
        listener.stop()
    }

    // MARK: A clients file that comes with the repository

    @Test(
        "A clients file without a client does not move a credential of another place",
        arguments: [
            "inputs: { host: evil.example }", "environment: sandbox", "origins: [\"https://evil.example\"]",
        ])
    func BIND_12_clientsFileMovesNoCredential(entry: String) async throws {
        try home.write("acme: { \(entry) }\n", to: "clients.yaml")
        try home.write(
            """
            carnet: 1
            id: acme
            name: Acme
            inputs: { host: { type: hostname, default: acme.example } }
            endpoints: { authorization: "https://{host}/authorize", token: "https://{host}/token" }
            environments: { sandbox: { endpoints: { token: "https://sandbox.acme.example/token" } } }

            """, to: Self.own)
        let secret = ["CARNET_ACME_CLIENT_ID": "own", "CARNET_ACME_CLIENT_SECRET": "s3cret"]
        let arguments = ["login", "acme", "--clients", "clients.yaml", "--no-browser", "--timeout", "1"]
        let refused = try await run(arguments, secret)
        #expect(refused.status == 2)
        #expect(
            refused.standardError.contains(
                "clients.yaml chooses the servers of acme, but the client secret is from another place"), "\(refused)")
        // Without a credential there is nothing to move.
        let open = try await run(arguments, ["CARNET_ACME_CLIENT_ID": "own"])
        #expect(!open.standardError.contains("chooses the servers"), "\(open)")
    }
}
