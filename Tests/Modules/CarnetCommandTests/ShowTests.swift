import CarnetDescriptors
import Foundation
import Testing

@Suite("Show")
struct ShowTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
        try home.write(
            """
            carnet: 1
            id: plain
            name: Plain
            inputs:
              tenant: { title: your tenant, pattern: "[0-9]{4}" }
              region: { enum: [eu, us] }
            endpoints:
              authorization: https://id.plain.example/{tenant}/authorize
              token: https://id.plain.example/{tenant}/token
              revocation: https://id.plain.example/{tenant}/revoke
            client: { authentication: [client_secret_post] }
            scopes: { default: [read] }
            token:
              body: json
              parameters: { region: "{region}" }
            callback: { errors: { codes: { no: access_denied } } }
            environments:
              sandbox: { endpoints: { token: "https://sandbox.plain.example/{tenant}/token" } }

            """,
            to: "providers/plain.yaml")
    }

    @Test("a file with a byte order mark and CRLF is printed line by line, and --json has its bytes")
    func linesOfAnotherSystem() async throws {
        let text = "\u{FEFF}carnet: 1\r\nid: other\r\nname: Other\r\nissuer: https://id.other.example\r\n"
        try home.write(text, to: "providers/other.yaml")
        let result = try await home.run("show", "other")
        #expect(result.standardOutput == "carnet: 1\nid: other\nname: Other\nissuer: https://id.other.example\n")
        // The output has the mark as an escape.
        let json = try await home.run("show", "other", "--json").standardOutput
        #expect(json.utf8.contains(#"\r\nid: other\r\n"#.utf8) && json.contains(#""\ufeffcarnet"#), "\(json)")
    }

    @Test("what is printed reads back, whatever is in a name")
    func aNameThatReadsBack() async throws {
        let names = ["A\u{200E}B", "\u{E0041}tag", "a\u{202E}b", "y", "tab\there"]
        for name in names {
            let escaped = name.unicodeScalars.map { scalar in
                let digits = String(scalar.value, radix: 16)
                return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            }
            try home.write(
                "carnet: 1\nid: odd\nname: \"\(escaped.joined())\"\nissuer: https://id.odd.example\n",
                to: "providers/odd.yaml")
            let result = try await home.run("show", "odd", "--resolved")
            #expect(result.status == 0, "\(result)")
            let line = try #require(result.standardOutput.split(separator: "\n").first { $0.hasPrefix("name: ") })
            let read = YAMLReader().read(SourceFile(path: "shown.yaml", text: String(line)))
            #expect(read.diagnostics.isEmpty && read.root?.entry("name")?.value.scalar?.text == name, "\(result)")
        }
    }

    @Test("an environment that a descriptor does not have is refused without --resolved, too")
    func unknownEnvironment() async throws {
        let result = try await home.run("show", "plain", "--environment", "nope")
        #expect(result.status == 2, "\(result)")
        #expect(try await home.run("show", "plain", "--environment", "sandbox").status == 0)
    }

    private func shown(_ arguments: String...) async throws -> [String: Any] {
        let run = try home.start(["show", "plain", "--resolved", "--json", "--input", "tenant=1234"] + arguments)
        let result = try await run.finish()
        #expect(result.status == 0, "\(result)")
        return try result.json()
    }

    private func request(_ step: String, _ document: [String: Any]) throws -> [String: Any] {
        try #require((document["requests"] as? [String: Any])?[step] as? [String: Any])
    }

    @Test("The requests are exact to the byte")
    func theRequestsAreExact() async throws {
        let document = try await shown("--client-id", "my client")
        #expect(
            try request("authorization", document)["url"] as? String
                == "https://id.plain.example/1234/authorize?response_type=code&client_id=my%20client"
                + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A49152%2Fcallback&scope=read"
                + "&state=simulated_value_1_0000000000000000000000000"
                + "&code_challenge=ePJ5sfL4klug9uOR0k458yO3kTdQaRiBO_RqM_eO8Bg&code_challenge_method=S256")
        let token = try request("token", document)
        #expect(token["url"] as? String == "https://id.plain.example/1234/token")
        #expect((token["headers"] as? [String: String])?["Content-Type"] == "application/json")
        #expect(
            token["body"] as? String
                == #"{"grant_type":"authorization_code","code":"simulated-code","#
                + #""redirect_uri":"http://127.0.0.1:49152/callback","#
                + #""code_verifier":"simulated_value_2_0000000000000000000000000","#
                + #""client_id":"my client","client_secret":"simulated-client-secret","region":"eu"}"#)
        let steps = try #require(document["requests"] as? [String: Any]).keys.sorted()
        #expect(steps == ["authorization", "refresh", "revocation", "token"])
        #expect(document["simulated_endpoints"] as? [String] == [])
    }

    @Test("What the descriptor says is all there, filled, in the environment that was chosen")
    func whatTheDescriptorSaysIsAll() async throws {
        let document = try await shown("--environment", "sandbox", "--input", "region=us")
        let resolved = try #require(document["resolved"] as? [String: Any])
        #expect((resolved["endpoints"] as? [String: String])?["token"] == "https://sandbox.plain.example/1234/token")
        #expect(
            (resolved["callback"] as? [String: Any])?["errors"] as? [String: [String: String]]
                == ["codes": ["no": "access_denied"]])
        let token = try #require(resolved["token"] as? [String: Any])
        #expect(token["parameters"] as? [String: String] == ["region": "us"])
        #expect((resolved["inputs"] as? [String: String]) == ["tenant": "1234", "region": "us"])
        #expect(try request("token", document)["url"] as? String == "https://sandbox.plain.example/1234/token")
    }

    @Test("Every missing input is reported at once, with how it is given")
    func everyMissingInputIsReported() async throws {
        // No value of an identifier has this form.
        try home.write(
            "carnet: 1\nid: odd\nname: Odd\nissuer: https://id.odd.example/{tenant}\n"
                + "inputs: { tenant: { title: your tenant, pattern: '[0-9]+:[0-9]+' } }\n", to: "own/odd.yaml")
        for command in [["show", "odd", "--resolved"], ["try", "odd"]] {
            let run = try home.start(command + ["--providers", "own"])
            let result = try await run.finish()
            #expect(result.status == 2 && result.standardOutput.isEmpty, "\(result)")
            #expect(
                result.standardError.contains("add --input tenant=VALUE  (your tenant, which matches [0-9]+:[0-9]+)"),
                "\(result)")
        }
    }

    @Test("A real secret is never among what is shown")
    func aRealSecretIsNeverAmong() async throws {
        let result = try await home.run(
            "show", "plain", "--resolved", "--input", "tenant=1234", "--client-id", "c", "--client-secret-env", "S",
            environment: ["S": "very-secret"])
        #expect(result.status == 0, "\(result)")
        #expect(!"\(result)".contains("very-secret"))
        #expect(result.standardOutput.contains("simulated-client-secret"))
        #expect(result.standardError.contains("using the example eu"))
    }

    @Test("A request that cannot be made is reported, and hides no other")
    func aRequestThatCannotBeMade() async throws {
        let result = try await home.run(
            "show", "plain", "--resolved", "--input", "tenant=1234", "--redirect-uri", "nowhere")
        #expect(result.status == 0, "\(result)")
        #expect(
            result.standardError.contains(
                "the token request cannot be made: configuration: the redirect URI nowhere"))
        #expect(result.standardOutput.contains("simulated-refresh-token"))
    }

    @Test("Endpoints that only the metadata reports are called so")
    func endpointsThatOnlyTheMetadataTells() async throws {
        try home.write(Sample.acme(), to: "providers/acme.yaml")
        let result = try await home.run("show", "acme", "--resolved")
        #expect(
            result.standardOutput.contains(
                "# Only the metadata of the provider names these endpoints: authorization, end_session, revocation, token"
            ),
            "\(result)")
        #expect(
            result.standardOutput.contains("url: \"https://id.acme.example/simulated-authorization?response_type=code"))
    }
}
