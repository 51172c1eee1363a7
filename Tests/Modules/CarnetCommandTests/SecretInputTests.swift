// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import CarnetTesting
import Foundation
import Testing

/// Inputs with `secret: true` are treated as secrets by every command.
@Suite("Secret inputs")
struct SecretInputTests {
    private static let secret = "the-real-s3cret-of-the-client"
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
        try write()
    }

    private func write(_ rules: String = "", server: String = "https://id.acme.example") throws {
        try home.write(
            """
            carnet: 1
            id: acme
            name: Acme
            inputs: { api_key: { type: text, secret: true\(rules) } }
            endpoints: { authorization: \(server)/a, token: \(server)/token }
            client: { authentication: [client_secret_post] }
            token: { headers: { X-Key: "{api_key}" } }
            api: { hosts: [api.acme.example], headers: { X-Key: "{api_key}" } }
            scopes: { default: [read] }

            """, to: "own/acme.yaml")
    }

    private func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> CommandResult {
        let environment = environment.merging(["CARNET_PROVIDERS": "own"]) { $1 }
        return try await home.start(arguments, environment: environment).finish()
    }

    @Test(
        "simulated requests show no secret input",
        arguments: [("", "simulated-api_key"), (", example: an-example", "an-example")])
    func HOST_10_simulatedRequestsShowNoSecret(rules: String, shown: String) async throws {
        try write(rules)
        let environment = ["CARNET_ACME_INPUT_API_KEY": Self.secret]
        let clients = try home.write("acme: { inputs: { api_key: \(Self.secret) } }\n", to: "clients.yaml").path
        for variables in [environment, [:]] {
            let source = variables.isEmpty ? ["--clients", clients] : []
            for command in [["show", "acme", "--resolved"], ["show", "acme", "--resolved", "--json"]] {
                let run = try home.start(
                    command + source, environment: variables.merging(["CARNET_PROVIDERS": "own"]) { $1 })
                let result = try await run.finish()
                #expect(result.status == 0 && result.standardOutput.contains(shown), "\(result)")
                #expect(!"\(result)".contains("s3cret"), "\(result)")
                #expect(result.standardError.contains("the input api_key is secret; showing \(shown)\n"), "\(result)")
            }
        }
        for command in [["try", "acme", "-v"], ["try", "acme", "--json"]] {
            let run = try home.start(
                command + ["--input-env", "api_key=S"], environment: ["S": Self.secret, "CARNET_PROVIDERS": "own"])
            let result = try await run.finish()
            #expect(result.status == 0 && !"\(result)".contains("s3cret"), "\(result)")
        }
    }

    @Test("the advice for a secret input names no option, and an option that shows one is warned of")
    func HOST_11_secretInputIsNoOption() async throws {
        let missing = try await run("login", "acme", "--client-id", "x")
        #expect(missing.status == 2 && !missing.standardError.contains("--input"), "\(missing)")
        #expect(missing.standardError.contains("set CARNET_ACME_INPUT_API_KEY,"), "\(missing)")
        #expect(missing.standardError.contains("or set it under inputs in the clients file"), "\(missing)")
        try write(", pattern: 'no^thing'")
        let unfit = try await run("try", "acme")
        #expect(unfit.status == 2 && !unfit.standardError.contains("--input"), "\(unfit)")
        #expect(unfit.standardError.contains("add an example to inputs.api_key of the descriptor"), "\(unfit)")
        try write()
        for command in ["login", "try", "show"] {
            let shown = try await run(
                command, "acme", "--input", "api_key=\(Self.secret)", command == "show" ? "--resolved" : "--json")
            #expect(
                shown.standardError.contains(
                    "carnet: warning: the input api_key is secret, and other users of this machine can read the options of a "
                        + "command; use --input-env api_key=VARIABLE\n"), "\(shown)")
            #expect(!"\(shown)".contains("s3cret"), "\(shown)")
        }
    }

    @Test("a secret input is given in a variable that an option names")
    func HOST_11_inputFromAVariable() async throws {
        let body = #"{"access_token":"a","token_type":"Bearer"}"#
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let listener = try RawServer([.send(head + body), .endSending])
        try write(server: "http://\(listener.authority)")
        let environment = ["KEY": Self.secret, "CARNET_ACME_CLIENT_ID": "own", "CARNET_ACME_CLIENT_SECRET": "x"]
        let result = try await run(
            "token", "acme", "--client-credentials", "--input-env", "api_key=KEY", environment: environment)
        #expect(result.status == 0 && !"\(result)".contains("s3cret"), "\(result)")
        #expect(listener.requests.last?.lowercased().contains("x-key: \(Self.secret)") == true, "\(listener.requests)")
        let unset = try await run("try", "acme", "--input-env", "api_key=NO")
        let missing = "--input-env api_key: the environment variable NO is not set"
        #expect(unset.status == 2 && unset.standardError.contains(missing), "\(unset)")
        for misused in [["--input-env", "api_key"], ["--input-env", "api_key=KEY", "--input", "api_key=x"]] {
            #expect(try await home.start(["try", "acme"] + misused).finish().status == 2)
        }
        listener.stop()
    }

    @Test("a clients file with a secret input that others can read is warned of")
    func HOST_05_clientsFileWithASecretInput() async throws {
        let file = try home.write("acme: { client_id: x, inputs: { api_key: \(Self.secret) } }\n", to: "clients.yaml")
        for (mode, isTold) in [(0o644, true), (0o600, false)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            let result = try await run("show", "acme", "--resolved", "--clients", "clients.yaml")
            let words = "clients.yaml contains a secret input and is readable by other users; run: chmod 600"
            #expect(result.standardError.contains(words) == isTold, "\(result)")
            // A file in no folder of descriptors, which may know more of the id than a built-in descriptor.
            for (name, text) in [
                ("file", ""), ("variant", "environments: { test: { inputs: { test_key: { secret: true } } } }\n"),
            ] {
                let file = Sample.acme() + (text.isEmpty ? "inputs: { api_key: { secret: true } }\n" : text)
                try home.write(file, to: "elsewhere/\(name).yaml")
                let input = text.isEmpty ? "api_key" : "test_key"
                let clients = try home.write(
                    "acme: { client_id: x, inputs: { \(input): \(Self.secret) } }\n", to: "\(name)-clients.yaml")
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: clients.path)
                let shown = try await home.run(
                    "show", "elsewhere/\(name).yaml", "--resolved", "--clients", "\(name)-clients.yaml")
                #expect(shown.standardError.contains("contains a secret input") == isTold, "\(shown)")
            }
        }
        // An input that is public is no reason to warn.
        try home.write(Sample.acme() + "inputs: { api_key: {} }\n", to: "own/acme.yaml")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        let open = try await run("show", "acme", "--resolved", "--clients", "clients.yaml")
        #expect(open.status == 0 && !open.standardError.contains("readable by other users"), "\(open)")
    }
}
