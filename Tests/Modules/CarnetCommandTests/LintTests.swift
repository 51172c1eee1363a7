import Foundation
import Testing

@Suite("Lint")
struct LintTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    struct BadFile: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: Data
        /// Where and what, as the first line of the output has it.
        let finding: String

        init(_ name: String, _ text: String, _ finding: String) {
            self.name = name
            bytes = Data(text.utf8)
            self.finding = finding
        }

        var testDescription: String { name }
    }

    static let badFiles = [
        BadFile("empty", "", "bad.yaml:1:1: error: the file has no content [D007]"),
        BadFile("tab", "carnet: 1\n\tid: a\n", "bad.yaml:2:1: error: a tab is used for indentation [D005]"),
        BadFile(
            "duplicate key", Sample.acme() + "id: b\n",
            "bad.yaml:6:1: error: the key \"id\" is defined twice in this mapping [D008]"),
        BadFile("unknown key", Sample.acme() + "scops: 1\n", "bad.yaml:6:1: error: unknown key \"scops\" [K001]"),
        BadFile("wrong type", Sample.acme() + "docs: [a]\n", "bad.yaml:6:7: error: found a list [K002]"),
        BadFile("binary", "\u{0}\u{1}\u{2}", "bad.yaml:1:1: error: the file contains a null byte [D002]"),
        BadFile(
            "nested", String(repeating: "[", count: 100_000),
            "bad.yaml:1:65: error: lists and mappings are nested deeper than 64 levels [D013]"),
        BadFile("alias bomb", bomb, "error: the file holds more than 100000 values [D014]"),
        BadFile(
            "two documents", Sample.acme() + "---\nid: b\n",
            "bad.yaml:6:1: error: a second YAML document starts here [D006]"),
    ]

    private static var bomb: String {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...20 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(aliases)]\n"
        }
        return text
    }

    @Test("Bad input is found at its place", arguments: badFiles)
    func badInputIsFound(_ file: BadFile) async throws {
        try file.bytes.write(to: home.folder.appending(path: "bad.yaml"))
        let result = try await home.run("lint", "bad.yaml")
        #expect(result.status == 1)
        #expect(result.standardOutput.split(separator: "\n").contains { $0.contains(file.finding) }, "\(result)")
        let tried = try await home.run("try", "bad.yaml")
        #expect(tried.status == 2)
        #expect(tried.standardError.contains("carnet: bad.yaml has errors"), "\(tried)")
    }

    @Test("A folder with no descriptor, and a file that is not there, could not be read")
    func aFolderWithNoDescriptor() async throws {
        try FileManager.default.createDirectory(
            at: home.folder.appending(path: "empty"), withIntermediateDirectories: true)
        let folder = try await home.run("lint", "empty")
        #expect(folder.status == 2)
        #expect(folder.standardError.contains("empty: the folder has no descriptors"))
        let file = try await home.run("lint", "nothing.yaml")
        #expect(file.status == 2)
        #expect(file.standardOutput.contains("no such file"))
    }

    @Test("A folder with no descriptor hides no finding of another file")
    func aFolderWithNoDescriptorHides() async throws {
        try FileManager.default.createDirectory(
            at: home.folder.appending(path: "empty"), withIntermediateDirectories: true)
        try home.write(Sample.acme() + "scops: 1\n", to: "acme.yaml")
        let result = try await home.run("lint", "empty", "acme.yaml")
        #expect(result.status == 2)
        #expect(result.standardOutput.contains("acme.yaml:6:1: error: unknown key \"scops\" [K001]"))
        #expect(result.standardOutput.contains("the folder has no descriptors [D016]"))
    }

    @Test("A folder is all of its descriptors")
    func aFolderIsAll() async throws {
        try home.write(Sample.acme(), to: "providers/acme.yaml")
        try home.write("carnet: 1\n", to: "providers/other.yml")
        try home.write("not looked at", to: "providers/readme.txt")
        let result = try await home.run("lint")
        #expect(result.status == 1)
        #expect(result.standardOutput.hasSuffix("in 2 files\n"))
    }

    @Test("stdin has the name that it is given")
    func stdinHasTheName() async throws {
        let unnamed = try await home.run("lint", "-", input: Data("carnet: 2\n".utf8))
        #expect(unnamed.standardOutput.hasPrefix("<stdin>:1:"))
        let named = try await home.run(
            "lint", "-", "--stdin-filename", "providers/x.yaml", input: Data("carnet: 2\n".utf8))
        #expect(named.standardOutput.hasPrefix("providers/x.yaml:1:"))
    }

    @Test("JSON is one document of version 1")
    func jsonIsOneDocumentOfVersion() async throws {
        try home.write(Sample.acme() + "scops: 1\n", to: "acme.yaml")
        for arguments in [["--format", "json"], ["--json"]] {
            let run = try home.start(["lint", "acme.yaml"] + arguments)
            let document = try await run.finish().json()
            #expect(document["version"] as? Int == 1)
            let diagnostic = try #require((document["diagnostics"] as? [[String: Any]])?.first)
            #expect(diagnostic["code"] as? String == "K001")
            #expect(diagnostic["line"] as? Int == 6 && diagnostic["end_column"] as? Int == 6)
            #expect((document["summary"] as? [String: Int])?["errors"] == 1)
        }
    }

    @Test("SARIF and GitHub annotations are offered")
    func sarifAndGitHubAnnotationsAreOffered() async throws {
        try home.write(Sample.acme() + "scops: 1\n", to: "acme.yaml")
        let sarif = try await home.run("lint", "acme.yaml", "--format", "sarif").json()
        #expect(sarif["version"] as? String == "2.1.0")
        let github = try await home.run("lint", "acme.yaml", "--format", "github")
        #expect(github.standardOutput.hasPrefix("::error file=acme.yaml,line=6,col=1,"))
        #expect(try await home.run("lint", "acme.yaml", "--format", "xml").status == 2)
    }

    @Test("What fails a run can be chosen")
    func whatFailsARunCan() async throws {
        // An input that nothing uses is a warning.
        let warned = Sample.acme() + "inputs: { unused: {} }\n"
        try home.write(warned, to: "acme.yaml")
        let text = try await home.run("lint", "acme.yaml")
        #expect(text.standardOutput.contains("warning"), "\(text)")
        #expect(text.status == 0)
        #expect(try await home.run("lint", "acme.yaml", "--fail-on", "warning").status == 1)
        try home.write(warned + "scops: 1\n", to: "acme.yaml")
        #expect(try await home.run("lint", "acme.yaml", "--fail-on", "never").status == 0)
    }

    private static let fixable = Sample.acme().replacing("[openid, profile, email]", with: "[openid, openid, email]")

    @Test("a fix keeps every name, the mode and the owner of a file, and leaves nothing beside it")
    func fixOfLinkedFiles() async throws {
        let file = try home.write(Self.fixable, to: "linked/acme.yaml")
        let other = home.folder.appending(path: "other.yaml")
        try FileManager.default.linkItem(at: file, to: other)
        #expect(chmod(file.path, 0o640) == 0)
        let result = try await home.run("lint", "linked/acme.yaml", "--fix")
        #expect(result.standardError.contains("fixed 1 finding in 1 file"), "\(result)")
        #expect(try String(contentsOf: other, encoding: .utf8) == String(contentsOf: file, encoding: .utf8))
        #expect(try String(contentsOf: file, encoding: .utf8) != Self.fixable)
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o640)
        try FileManager.default.removeItem(at: other)
        try Data(Self.fixable.utf8).write(to: file)
        // What a killed process left is used up by the next.
        try home.write("half a file", to: "linked/.acme.yaml.carnet-new")
        #expect(try await home.run("lint", "linked/acme.yaml", "--fix").status == 0)
        #expect(try String(contentsOf: file, encoding: .utf8) != Self.fixable)
        let folder = file.deletingLastPathComponent().path
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["acme.yaml"])
    }

    @Test("a read-only file is not fixed")
    func fixOfAReadOnlyFile() async throws {
        let file = try home.write(Self.fixable, to: "acme.yaml")
        #expect(chmod(file.path, 0o444) == 0)
        let result = try await home.run("lint", "acme.yaml", "--fix")
        #expect(result.status == 3, "\(result)")
        #expect(result.standardError.contains("read-only"), "\(result)")
        #expect(try String(contentsOf: file, encoding: .utf8) == Self.fixable)
    }

    @Test("what was typed is printed without its control characters, and a closed stdin is named")
    func whatWasTyped() async throws {
        let result = try await home.run("lint", "--format", "\u{1B}[31m", "acme.yaml")
        #expect(result.status == 2, "\(result)")
        #expect(!result.standardError.contains("\u{1B}"))
        let closed = try CommandRun(
            URL(filePath: "/bin/sh"), ["-c", "exec '\(BuiltProduct.carnet.path)' lint - <&-"],
            environment: home.environment, folder: home.folder)
        let stdin = try await closed.finish()
        #expect(stdin.status == 2, "\(stdin)")
        #expect("\(stdin)".contains("stdin cannot be read"))
        #if os(Linux)
            let full = try CommandRun(
                URL(filePath: "/bin/sh"), ["-c", "exec '\(BuiltProduct.carnet.path)' --help >/dev/full"],
                environment: home.environment, folder: home.folder)
            #expect(try await full.finish().status == 3)
        #endif
    }

    @Test("What is certain is mended in the file, comments and all")
    func whatIsCertainIsFixed() async throws {
        let repeated = Sample.acme().replacing("[openid, profile, email]", with: "[openid, openid, email]") + "# ours\n"
        let file = try home.write(repeated, to: "acme.yaml")
        let result = try await home.run("lint", "acme.yaml", "--fix")
        #expect(result.standardError.contains("fixed 1 finding in 1 file"), "\(result)")
        let mended = try String(contentsOf: file, encoding: .utf8)
        #expect(mended == repeated.replacing("openid, openid", with: "openid"))
        let stdin = try await home.run("lint", "-", "--fix", input: Data(repeated.utf8))
        #expect(stdin.standardOutput == mended)
    }

    @Test("Samples are run through the engine, unless that is switched off")
    func samplesAreRunThroughTheEngine() async throws {
        try home.write(Sample.acme() + "samples: { token: { access_token: redacted } }\n", to: "acme.yaml")
        let simulated = try await home.run("lint", "acme.yaml")
        #expect(simulated.status == 1, "\(simulated)")
        #expect(
            simulated.standardOutput.hasPrefix(
                "acme.yaml:6:12: error: the engine rejects samples.token: the response has no token_type; "
                    + "its members are access_token [T004]"))
        #expect(try await home.run("lint", "acme.yaml", "--no-simulate").status == 0)
    }

    @Test("Without samples the requests of a test client are made, unless that is switched off")
    func withoutSamplesTheRequests() async throws {
        let repeated =
            Sample.acme() + """
                endpoints: { authorization: "https://id.acme.example/authorize?audienc%65=x" }
                authorization: { parameters: { audience: y } }

                """
        try home.write(repeated, to: "acme.yaml")
        #expect(try await home.run("lint", "acme.yaml", "--no-simulate").status == 0)
        let simulated = try await home.run("lint", "acme.yaml")
        #expect(simulated.status == 1, "\(simulated)")
        #expect(simulated.standardOutput.contains("the engine cannot build the authorization request"), "\(simulated)")
    }

    @Test("Every code that is printed has a page")
    func everyCodeThatIsPrintedHas() async throws {
        let page = try await home.run("explain", "K001")
        #expect(page.status == 0 && page.standardOutput.hasPrefix("# K001: unknown-key\n"))
        #expect(try await home.run("explain", "k001", "--json").json()["code"] as? String == "K001")
        let unknown = try await home.run("explain", "K01")
        #expect(unknown.status == 2 && unknown.standardError.contains("did you mean"), "\(unknown)")
    }
}
