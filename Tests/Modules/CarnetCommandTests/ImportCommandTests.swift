import CarnetTestSupport
import Foundation
import Testing

@Suite("carnet import")
struct ImportCommandTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
        try home.write(Self.document, to: "accounts.yaml")
    }

    private static let document = """
        openapi: 3.1.0
        info: { title: Acme Accounts, version: "1" }
        servers: [{ url: https://api.acme.example/v1 }]
        security: [{ acme: [accounts] }]
        components:
          securitySchemes:
            acme: { type: openIdConnect, openIdConnectUrl: "https://id.acme.example/.well-known/openid-configuration" }
            key: { type: apiKey, in: header, name: X-Key }
        paths:
          /health:
            get: { summary: Health, security: [] }
          /accounts/{id}:
            get: { summary: Balance, operationId: getBalance }
          /robots:
            get: { summary: Robots, security: [{ key: [] }] }

        """

    private static let map = """
        # From accounts.yaml (Acme Accounts)
        # For access tokens of acme
        # claims: { closed: [] } refuses every request. The findings of the import say why.
        resources:
          - { title: Health, url: /v1/health, anonymous: no security is required }
          - { id: getBalance, title: Balance, url: "/v1/accounts/{id}", scope: accounts }
          - { title: Robots, url: /v1/robots, claims: { closed: [] } }

        """

    @Test("The map goes to stdout, and findings with their places to stderr")
    func printed() async throws {
        let result = try await home.run("import", "openapi", "accounts.yaml")
        #expect(result.status == 0 && result.standardOutput == Self.map, "\(result)")
        #expect(
            result.standardError == """
                accounts.yaml:8:5: warning: a map cannot require an API key: it refuses requests that have no other credential
                  = help: if another program checks it besides the token, add --checked-elsewhere key
                accounts.yaml:15:5: warning: no access token of the accepted schemes is enough: the map refuses the request
                3 operations, 3 resources: 1 open to anyone, 1 closed

                """, "\(result)")
        let strict = try await home.run("import", "openapi", "accounts.yaml", "--fail-on", "warning")
        #expect(strict.status == 1 && strict.standardOutput == Self.map)
        let piped = try await home.run("import", "openapi", "-", input: Data(Self.document.utf8))
        #expect(piped.standardOutput == Self.map.replacing("accounts.yaml", with: "<stdin>"), "\(piped)")
    }

    @Test("With --output, both files are written once; the map decides, and the descriptor signs in")
    func written() async throws {
        try home.write("", to: "out/.keep")
        let result = try await home.run("import", "openapi", "accounts.yaml", "--output", "out", "--id", "acme")
        #expect(result.status == 0 && result.standardOutput == "out/acme.yaml\nout/acme-resources.yaml\n", "\(result)")
        let lint = try await home.run("lint", "out/acme.yaml", "out/acme-resources.yaml", "--fail-on", "warning")
        #expect(lint.status == 0 && lint.standardOutput == "no findings in 2 files\n", "\(lint)")
        func check(_ arguments: String...) async throws -> String {
            try await home.start(["resources", "check", "out/acme-resources.yaml"] + arguments).finish().standardOutput
        }
        #expect(try await check("GET", "/v1/health", "--without-token").hasPrefix("allowed  200"))
        #expect(try await check("GET", "/v1/accounts/5", "--scopes", "accounts").hasPrefix("allowed  200"))
        #expect(try await check("GET", "/v1/accounts/5").hasPrefix("refused  403"))
        #expect(try await check("GET", "/v1/robots", "--scopes", "accounts").hasPrefix("refused  403"))
        let trial = try await home.run("try", "out/acme.yaml")
        #expect(trial.status == 0, "\(trial)")
        let again = try await home.run("import", "openapi", "accounts.yaml", "--output", "out", "--id", "acme")
        #expect(
            again.status == 2 && again.standardError.contains("out/acme.yaml, out/acme-resources.yaml already exist"),
            "\(again)")
        let nowhere = try await home.run("import", "openapi", "accounts.yaml", "--output", "none")
        #expect(nowhere.status == 2 && nowhere.standardError.contains("no such folder"), "\(nowhere)")
    }

    @Test("Nothing is written if one of the files is there, also as a link to nothing")
    func linkToNothing() async throws {
        try home.write("", to: "out/.keep")
        let map = home.folder.appending(path: "out/acme-resources.yaml").path
        try FileManager.default.createSymbolicLink(atPath: map, withDestinationPath: "nowhere")
        let result = try await home.run("import", "openapi", "accounts.yaml", "--output", "out", "--id", "acme")
        #expect(result.status == 2 && result.standardError.contains("acme-resources.yaml already exists"), "\(result)")
        let names = try FileManager.default.contentsOfDirectory(atPath: home.folder.appending(path: "out").path)
        #expect(names.sorted() == [".keep", "acme-resources.yaml"])
    }

    @Test("--descriptor prints the descriptor, and --json everything")
    func others() async throws {
        let descriptor = try await home.run("import", "openapi", "accounts.yaml", "--descriptor")
        #expect(
            descriptor.standardOutput.hasPrefix(
                "carnet: 1\nid: acme-accounts\nname: \"Acme Accounts\"\nissuer: https://id.acme.example\n"),
            "\(descriptor)")
        let json = try await home.run("import", "openapi", "accounts.yaml", "--json")
        let document = try json.json()
        #expect(document["resources"] as? String == Self.map)
        #expect(document["descriptor"] as? String == descriptor.standardOutput)
        #expect(document["schemes"] as? [String] == ["acme"])
        let findings = try #require(document["findings"] as? [[String: Any]])
        #expect(findings.count == 2 && findings[0]["line"] as? Int == 8 && findings[0]["column"] as? Int == 5)
        #expect((document["counts"] as? [String: Int])?["closed"] == 1)
    }

    @Test("A file that cannot be read, and a wrong command line, are refused")
    func usage() async throws {
        try home.write("openapi: 3.1.0\npaths: {\n", to: "broken.yaml")
        try home.write("carnet: 1\n", to: "acme.yaml")
        for (arguments, reason) in [
            (["openapi", "none.yaml"], "none.yaml: no such file\n  next  name a file of at most 64 MB"),
            (
                ["openapi", "https://acme.example/a.yaml"],
                "next  download it first: curl -fLo api.yaml https://acme.example/a.yaml"
            ),
            (["openapi", "."], "next  name a file"), (["openapi", "accounts.yaml", "--id", "A"], "at most 64"),
            (["openapi", "accounts.yaml", "--output", "acme.yaml"], "next  name a folder"),
            (["openapi", "broken.yaml"], "broken.yaml:3:1"),
            (["openapi", "acme.yaml"], "acme.yaml:1:1: no description in OpenAPI 3 or Swagger 2.0"),
            (["openapi", "accounts.yaml", "--scheme", "acne"], "did you mean acme?"),
            (["openapi", "accounts.yaml", "--descriptor", "--output", "."], "cannot be combined"),
            (["raml", "accounts.yaml"], "raml"), (["openapi"], "file"),
        ] {
            let result = try await home.start(["import"] + arguments).finish()
            #expect(result.status == 2 && result.standardError.contains(reason), "\(arguments): \(result)")
            #expect(result.standardOutput.isEmpty)
        }
    }

    @Test(
        "A draft's guesses, and a host that nobody named, are said at the end; findings are in the files that are written"
    )
    func guesses() async throws {
        try home.write(
            Self.document.replacing(
                "type: openIdConnect, openIdConnectUrl: \"https://id.acme.example/.well-known/openid-configuration\"",
                with: "type: http, scheme: bearer"),
            to: "bearer.yaml")
        try home.write("", to: "out/.keep")
        for arguments in [["--descriptor"], ["--output", "out"]] {
            let result = try await home.start(["import", "openapi", "bearer.yaml", "--id", "acme"] + arguments).finish()
            #expect(
                result.status == 0
                    && result.standardError.hasSuffix(
                        """
                        guessed values have a comment in the file: authorization, token, authentication, default, profile
                        nobody named the host acme.example: replace the URLs that have it

                        """),
                "\(result)")
        }
        #expect(try await !home.run("import", "openapi", "bearer.yaml").standardError.contains("guessed"))
    }

    @Test("The example of the page")
    func page() async throws {
        let page = try Repository.file("Docs/resource-server.md").text
        let example = try #require(page.components(separatedBy: "## Make a map from an OpenAPI document\n").last)
        let blocks = example.components(separatedBy: "```").enumerated().filter { !$0.offset.isMultiple(of: 2) }
            .map { $0.element.drop { $0 != "\n" }.dropFirst() }
        let source = try #require(blocks.first { $0.hasPrefix("openapi:") })
        let map = try #require(blocks.first { $0.hasPrefix("resources:") })
        try home.write(String(source), to: "accounts.yaml")
        let result = try await home.run("import", "openapi", "accounts.yaml")
        #expect(result.standardOutput.hasSuffix("\n" + map), "\(result)")
        for line in result.standardError.split(separator: "\n") { #expect(example.contains(line), "\(line)") }
    }
}
