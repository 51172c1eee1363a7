import Foundation
import Testing

/// `Docs/completions/carnet.bash` in a real interactive bash.
@Suite("Completion in bash")
struct CompletionTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Docs/completions/carnet.bash").standardizedFileURL

    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    private func complete(_ lines: String...) async throws -> [String] {
        let path = BuiltProduct.folder.path + ":" + (home.environment["PATH"] ?? "")
        return try await PseudoTerminal.completions(
            of: lines, sourcing: Self.script, in: home, environment: home.environment.merging(["PATH": path]) { $1 })
    }

    @Test("Files and folders are completed, where a file or a folder is wanted")
    func files() async throws {
        for file in ["alpha.yaml", "area/x.yaml", "notes.txt", "clients.yaml", "providers/mytest.yaml"] {
            try home.write("carnet: 1\nid: mytest\nname: My test\nissuer: https://id.acme.example\n", to: file)
        }
        let completed = try await complete(
            "carnet lint al", "carnet lint n", "carnet lint ar", "carnet login google --clients cl",
            "carnet new other --output pr", "carnet try prov", "carnet try providers/my",
            "carnet providers --providers ar",
            "carnet login google --ca-file no", "carnet gateway al", "carnet gateway --sandbox al",
            "carnet gateway check al", "carnet gateway alpha.yaml --metrics-p", "carnet gateway sess")
        #expect(
            completed == [
                "carnet lint alpha.yaml", "carnet lint notes.txt", "carnet lint area",
                "carnet login google --clients clients.yaml", "carnet new other --output providers",
                "carnet try providers/", "carnet try providers/mytest.yaml", "carnet providers --providers area",
                "carnet login google --ca-file notes.txt", "carnet gateway alpha.yaml",
                "carnet gateway --sandbox alpha.yaml", "carnet gateway check alpha.yaml",
                "carnet gateway alpha.yaml --metrics-port", "carnet gateway sessions",
            ])
    }

    @Test("Values of options, codes, kinds of errors, commands, topics and providers are completed")
    func values() async throws {
        try home.write(
            "carnet: 1\nid: mytest\nname: My test\nissuer: https://id.acme.example\n", to: "providers/mytest.yaml")
        let completed = try await complete(
            "carnet lint --format ", "carnet lint --fail-on ", "carnet sandbox --fault wrong-nonc",
            "carnet explain K00",
            "carnet explain sessionE", "carnet help cl", "carnet help log", "carnet try myt", "carnet login myt",
            "carnet compare gitl", "carnet resources myt", "carnet lo", "carnet login google --prompt sel",
            "carnet call google x -X PA")
        #expect(
            completed == [
                "carnet lint --format github json sarif text", "carnet lint --fail-on error never warning",
                "carnet sandbox --fault wrong-nonce", "carnet explain K001 K002 K003 K004 K005 K006 K007 K008",
                "carnet explain sessionEnded", "carnet help client-document clients", "carnet help login logout",
                "carnet try mytest", "carnet login mytest", "carnet compare gitlab",
                "carnet resources mytest", "carnet login logout",
                "carnet login google --prompt select_account", "carnet call google x -X PATCH",
            ])
    }

    @Test("The accounts of a provider are completed")
    func accounts() async throws {
        let sandbox = try await RunningSandbox(home, "google")
        defer { sandbox.run.stop() }
        try await home.logIn("google", "--sandbox", sandbox.address, "--account", "work")
        let completed = try await complete(
            "carnet profile google --sandbox \(sandbox.address) --account w", "carnet profile google --account w")
        #expect(
            completed == [
                "carnet profile google --sandbox \(sandbox.address) --account work",
                "carnet profile google --account w",
            ])
    }
}
