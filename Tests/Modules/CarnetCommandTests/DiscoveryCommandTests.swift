import CarnetDescriptors
import CarnetLint
import CarnetServerTestSupport
import CarnetTestSupport
import Foundation
import Testing

@testable import CarnetCommand

/// `new` and `compare`, which look at a running server's metadata.
@Suite("Discovery command")
struct DiscoveryCommandTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    /// A sandbox that responses at its own address as the issuer.
    private func startIssuer() async throws -> (issuer: String, sandbox: RunningSandbox) {
        let port = try Sample.freePort()
        let issuer = "http://127.0.0.1:\(port)"
        try home.write(Sample.acme(issuer: issuer), to: "providers/acme.yaml")
        return (issuer, try await RunningSandbox(home, "acme", "--port", String(port)))
    }

    @Test("New writes a descriptor from the metadata that lints and works")
    func newWritesADescriptor() async throws {
        let (issuer, sandbox) = try await startIssuer()
        defer { sandbox.run.stop() }
        let written = try await home.run("new", "other", "--issuer", issuer, "--output", "providers")
        #expect(written.status == 0 && written.standardOutput == "providers/other.yaml\n", "\(written)")
        #expect(try await home.run("lint", "providers").status == 0)
        #expect(try await home.run("try", "other").status == 0)
        let again = try await home.run("new", "other", "--issuer", issuer, "--output", "providers")
        #expect(again.status == 2 && again.standardError.contains("already exists"), "\(again)")
    }

    @Test("New without an issuer prints a descriptor to fill in")
    func newWithoutAnIssuerPrints() async throws {
        let printed = try await home.run("new", "acme")
        #expect(printed.status == 0 && printed.standardOutput.hasPrefix("carnet: 1\nid: acme\n"), "\(printed)")
        let bad = try await home.run("new", "Acme")
        #expect(bad.status == 2 && bad.standardOutput.isEmpty, "\(bad)")
        let unreachable = try await home.run("new", "acme", "--issuer", "http://127.0.0.1:1")
        #expect(unreachable.status == 1 && unreachable.standardOutput.isEmpty, "\(unreachable)")
    }

    @Test("What new writes works as it stands, and the commands that it names do too")
    func whatNewWritesWorks() async throws {
        try FileManager.default.createDirectory(
            at: home.folder.appending(path: "mine"), withIntermediateDirectories: true)
        let written = try await home.run("new", "acme", "--output", "mine")
        #expect(
            written.standardError == """
                guessed values have a comment in the file: authorization, token, userinfo, authentication, default, subject, \
                name, email
                nobody named the host acme.example: replace the URLs that have it
                next: carnet lint mine/acme.yaml, carnet try mine/acme.yaml

                """, "\(written)")
        #expect(try await home.run("lint", "mine/acme.yaml").status == 0)
        let tried = try await home.run("try", "mine/acme.yaml")
        #expect(tried.status == 0, "\(tried)")
        #expect(tried.standardOutput.contains("subject"), "\(tried)")
        #expect(tried.standardOutput.contains("\nAcme works with the guessed endpoints ("), "\(tried)")
    }

    @Test("The README shows what try prints")
    func readme() async throws {
        let printed = try await home.run("try", "google").standardOutput.split(separator: "\n")
        let page = try Repository.file("README.md").text.components(separatedBy: "```text\n")
        let shown = try #require(page.dropFirst().first?.components(separatedBy: "```").first).split(separator: "\n")
        #expect(shown.count > 4)
        for line in shown where line != "..." { #expect(printed.contains(line), "try does not print: \(line)") }
    }

    @Test("New says what is wrong with its options")
    func newSaysWhatIsWrong() async throws {
        let folder = try await home.run("new", "acme", "--output", "nowhere")
        #expect(folder.status == 2 && folder.standardError.contains("--output nowhere: no such folder"), "\(folder)")
        let issuer = try await home.run("new", "acme", "--issuer", "id.acme.example")
        #expect(issuer.status == 2 && issuer.standardError.contains("--issuer must be a URL such as"), "\(issuer)")
        let (address, sandbox) = try await startIssuer()
        defer { sandbox.run.stop() }
        let wrong = try await home.run("new", "acme", "--issuer", address + "/nope")
        #expect(wrong.status == 1 && wrong.standardError.contains("check --issuer"), "\(wrong)")
        #expect(wrong.standardError.contains("\(address)/nope/.well-known/openid-configuration"), "\(wrong)")
    }

    @Test("A signal or the end of the input at a prompt of new ends it, and nothing is written")
    func newIsInterrupted() async throws {
        try home.write("", to: "mine/.keep")
        let statuses = try await PseudoTerminal.statuses(
            of: BuiltProduct.carnet, ["new", "acme", "--output", "mine"], until: "Issuer", in: home,
            after: ["SIGINT", "SIGTERM", "SIGHUP", "end"])
        // A shell calls the end by a signal 128 and its number.
        let seen = statuses.split(separator: " ").compactMap { Int($0) }.map { $0 < 0 ? 128 - $0 : $0 }
        #expect(seen == [130, 143, 129, 130], "\(statuses)")
        #expect(!FileManager.default.fileExists(atPath: home.folder.appending(path: "mine/acme.yaml").path))
    }

    @Test("An answer is taken, or asked for again with the reason")
    func questions() async throws {
        func facts(_ answers: String...) async throws -> (facts: DescriptorDraft.Facts, said: [String]) {
            let said = Lines()
            let rest = Lines(answers.reversed())
            let questions = DraftQuestions { _ in
                rest.all.popLast()
            } say: {
                said.all.append($0)
            }
            let draft = try #require(DescriptorDraft(id: "acme", issuer: nil))
            let facts = try await questions.facts(for: draft, hasIssuer: false)
            #expect(
                Linter().lint(files: [
                    SourceFile(
                        path: "acme.yaml", text: DescriptorDraft(id: "acme", issuer: nil, facts: facts)?.text ?? "")
                ]).diagnostics == [])
            return (facts, said.all)
        }
        let all = try await facts(
            "Acme", "https://a.test/a", "https://a.test/t", "https://a.test/me", "/id~", "/id",
            "client_secret_basic, none",
            "openid a", "a b")
        #expect(all.facts.authentication == [.clientSecretBasic, .none] && all.facts.scopes == ["a", "b"])
        #expect(all.said.count == 3 && all.said[1].contains("behind ~") && all.said[2].contains("needs the issuer"))
        let none = try await facts("", "https://a.test/a", "https://a.test/t", "none", "", "").facts
        #expect(none.userinfo == nil && none.profileGap != nil && none.subject == nil)
        let program = try await facts("", "none", "https://a.test/t", "", "").facts
        #expect(!program.hasPage && program.hasClientCredentials && program.authorization == nil)
        await #expect(throws: CancellationError.self) { try await facts("Acme") }
    }

    private final class Lines {
        var all: [String]

        init(_ all: [String] = []) { self.all = all }
    }

    @Test("The URL of a metadata document stands for its issuer")
    func newTakesTheMetadataURL() async throws {
        let (issuer, sandbox) = try await startIssuer()
        defer { sandbox.run.stop() }
        let printed = try await home.run("new", "other", "--issuer", issuer + "/.well-known/openid-configuration")
        #expect(printed.standardOutput.contains("\nissuer: \(issuer)\n"), "\(printed)")
    }

    @Test("New refuses metadata with which nobody can sign in, and names what is missing")
    func newRefusesMetadata() async throws {
        let server = try await PlayedServer { request in
            .json(
                200,
                #"{"issuer":"http://\#(request.headers["host"] ?? "")","authorization_endpoint":"https://id.acme.example/a","#
                    + #""jwks_uri":"https://id.acme.example/keys","response_types_supported":["id_token"]}"#)
        }
        let result = try await home.run("new", "acme", "--issuer", "http://\(server.authority)")
        try await server.stop()
        #expect(result.status == 1 && result.standardOutput.isEmpty, "\(result)")
        #expect(result.standardError.contains("has no token_endpoint: Carnet cannot sign in with it"), "\(result)")
    }

    @Test("compare has nothing to compare where there is no metadata")
    func compareHasNothingToCompareWhere() async throws {
        try await home.write(home.run("new", "plain").standardOutput, to: "plain.yaml")
        let compared = try await home.run("compare", "plain.yaml")
        #expect(compared.status == 2 && compared.standardError.contains("Plain has no metadata"), "\(compared)")
    }

    @Test("compare is content where descriptor and metadata agree")
    func compareIsContentWhereDescriptor() async throws {
        let (_, sandbox) = try await startIssuer()
        defer { sandbox.run.stop() }
        let compared = try await home.run("compare", "acme", "--json")
        #expect(compared.status == 0, "\(compared)")
        #expect(try (compared.json()["drift"] as? [Any])?.isEmpty == true)
    }

    @Test("compare shows what drifted, at its place in the file")
    func compareShowsWhatDrifted() async throws {
        let (issuer, sandbox) = try await startIssuer()
        defer { sandbox.run.stop() }
        let file = Sample.acme(issuer: issuer) + "endpoints: { token: \"\(issuer)/old\" }\n"
        try home.write(file.replacing("email]", with: "email, nope]"), to: "drifted.yaml")
        let compared = try await home.run("compare", "./drifted.yaml")
        #expect(compared.status == 1, "\(compared)")
        #expect(
            compared.standardOutput == """
                ./drifted.yaml:6:21: error: endpoints.token: the metadata says "\(issuer)/token"
                ./drifted.yaml:5:20: warning: scopes.default: the metadata does not announce nope

                """
        )
    }
}
