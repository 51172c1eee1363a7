import Foundation
import Testing

/// `carnet lint --against`: where the earlier version comes from.
@Suite("Lint against an earlier version")
struct LintAgainstTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    private static let old = "carnet: 1\nid: acme\nname: Acme\nissuer: https://id.acme.example\n"
    private static let new = old.replacing("id.acme", with: "login.acme")
    private static let finding =
        "providers/acme.yaml:4:9: error: issuer was https://id.acme.example and is https://login.acme.example [B002]"

    private func git(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"] + arguments
        process.currentDirectoryURL = home.folder
        process.environment = home.environment
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "git \(arguments)")
    }

    private func commit(_ files: [String: String]) throws {
        for (path, text) in files { try home.write(text, to: path) }
        try git("add", "-A")
        try git("commit", "-q", "-m", "a")
    }

    @Test("A file, a folder and a git revision", arguments: ["old/acme.yaml", "old", "HEAD", "v1", "HEAD..."])
    func sources(_ name: String) async throws {
        try git("init", "-q")
        try commit(["providers/acme.yaml": Self.old])
        try git("tag", "v1")
        try home.write(Self.old, to: "old/acme.yaml")
        try home.write(Self.new, to: "providers/acme.yaml")
        for path in ["providers", "providers/", "providers/acme.yaml"] {
            let result = try await home.run("lint", path, "--against", name)
            #expect(result.status == 1)
            #expect(result.standardOutput.contains(Self.finding), "\(path): \(result)")
        }
        let inside = try await home.run("lint", "--against", name)
        #expect(inside.standardOutput.contains(Self.finding), "\(inside)")
        // Without it, nothing is compared.
        #expect(try await home.run("lint").status == 0)
    }

    @Test("A removed file is found in a folder, and a new one is not")
    func removedFiles() async throws {
        try git("init", "-q")
        let other = Self.old.replacing("acme", with: "other")
        try commit(["providers/acme.yaml": Self.old, "providers/other.yaml": other, "providers/sub/x.yaml": "x: 1\n"])
        try FileManager.default.removeItem(at: home.folder.appending(path: "providers/acme.yaml"))
        try home.write(Self.old.replacing("acme", with: "third"), to: "providers/third.yaml")
        let folder = try await home.run("lint", "providers", "--against", "HEAD", "--format", "github")
        #expect(folder.status == 1)
        #expect(
            folder.standardOutput.hasPrefix("::error file=providers/acme.yaml,line=2,col=5,")
                && folder.standardOutput.split(separator: "\n").count == 1, "\(folder)")
        let file = try await home.run("lint", "providers/other.yaml", "--against", "HEAD")
        #expect(file.status == 0, "\(file)")
    }

    @Test("REVISION... is where the branch began")
    func mergeBase() async throws {
        try git("init", "-q")
        try commit(["providers/acme.yaml": Self.old])
        try git("checkout", "-q", "-b", "work")
        try commit(["providers/acme.yaml": Self.old + "docs: https://acme.example\n"])
        try git("checkout", "-q", "main")
        try commit(["providers/acme.yaml": Self.old + "scopes: { default: [openid] }\n"])
        try git("checkout", "-q", "work")
        #expect(try await home.run("lint", "--against", "main").standardOutput.contains("[B006]"))
        #expect(try await home.run("lint", "--against", "main...").status == 0)
    }

    @Test("The parents of the earlier version are those of its folder")
    func parents() async throws {
        try git("init", "-q")
        let child = "carnet: 1\nid: child\nname: Child\nextends: acme\n"
        try commit(["providers/acme.yaml": Self.old, "providers/child.yaml": child])
        try home.write(Self.new, to: "providers/acme.yaml")
        let arguments = ["lint", "providers/child.yaml", "--against", "HEAD"]
        let text = try await home.start(arguments).finish().standardOutput
        #expect(text.hasPrefix("providers/child.yaml:4:10: error: ") && text.contains("[B002]"), "\(text)")
        #expect(text.contains("HEAD:providers/acme.yaml:4:9: what was"), "\(text)")
        let json = try await home.start(arguments + ["--json"]).finish()
        let found = try #require(try json.json()["diagnostics"] as? [[String: Any]])
        #expect(json.status == 1 && found.map { $0["code"] as? String } == ["B002"])
    }

    @Test("An earlier version without a descriptor is said")
    func nothingToCompare() async throws {
        try home.write(Self.old, to: "providers/acme.yaml")
        try home.write("", to: "empty/acme.yaml")
        try home.write("a text\n", to: "texts/acme.txt")
        for name in ["empty", "empty/acme.yaml"] {
            let result = try await home.run("lint", "providers/acme.yaml", "--against", name)
            #expect(result.status == 1 && result.standardOutput.contains("[B013]"), "\(result)")
        }
        let folder = try await home.run("lint", "--against", "texts")
        #expect(folder.status == 2 && folder.standardError.contains("the folder has no descriptor"), "\(folder)")
    }

    @Test("stdin has the place of its name")
    func stdin() async throws {
        try git("init", "-q")
        try commit(["providers/acme.yaml": Self.old])
        let result = try await home.run(
            "lint", "-", "--stdin-filename", "providers/acme.yaml", "--against", "HEAD", input: Data(Self.new.utf8))
        #expect(result.standardOutput.contains(Self.finding), "\(result)")
    }

    @Test("An unknown revision is said", arguments: ["nothing", "--help-me", "HEAD:x"])
    func unknown(_ name: String) async throws {
        try home.write(Self.old, to: "providers/acme.yaml")
        let outside = try await home.run("lint", "--against=\(name)")
        #expect(outside.status == 2 && outside.standardError.contains("not a git repository"), "\(outside)")
        #expect(!outside.standardError.contains("git fetch"), "\(outside)")
        try git("init", "-q")
        try commit([:])
        let inside = try await home.run("lint", "--against=\(name)")
        #expect(inside.status == 2)
        #expect(inside.standardError.contains("no such file or folder, and git knows no such revision"), "\(inside)")
        #expect(!inside.standardError.contains("not a git repository"), "\(inside)")
    }
}
