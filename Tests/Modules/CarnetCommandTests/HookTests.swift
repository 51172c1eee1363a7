import Foundation
import Testing

/// The hooks of `.pre-commit-hooks.yaml`, run as pre-commit runs them: the words of `entry`, then the changed files.
@Suite("Hook")
struct HookTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    struct Hook: Sendable, CustomTestStringConvertible {
        var id = ""
        var entry: [String] = []
        var files = ""
        var language = ""

        var testDescription: String { id }
    }

    /// The file is a list of mappings with one plain value a line.
    static let hooks: [Hook] = {
        let file = BuiltProduct.package.appending(path: ".pre-commit-hooks.yaml")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        var hooks: [Hook] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("- ") { hooks.append(Hook()) }
            guard let colon = line.firstRange(of: ": ") else { continue }
            let key = line[..<colon.lowerBound].drop { " -".contains($0) }
            let value = String(line[colon.upperBound...])
            let last = hooks.count - 1
            switch key {
            case "id": hooks[last].id = value
            case "entry": hooks[last].entry = value.split(separator: " ").map(String.init)
            case "files": hooks[last].files = value
            case "language": hooks[last].language = value
            default: break
            }
        }
        return hooks
    }()

    private static let good = "carnet: 1\nid: acme\nname: Acme\nissuer: https://id.acme.example\n"

    @Test("There is a hook that downloads, one that builds and one that finds")
    func languages() {
        #expect(Self.hooks.map(\.language) == ["python", "swift", "system"])
    }

    @Test("A hook lets good files pass and stops bad ones", arguments: hooks)
    func aHookLetsGoodFilesPass(_ hook: Hook) async throws {
        try home.write(Self.good, to: "providers/acme.yaml")
        try home.write(
            Self.good.replacing("acme", with: "beta") + "inputs: { unused: {} }\n", to: "providers/beta.yaml")
        #expect(hook.entry.first == "carnet")
        let arguments = Array(hook.entry.dropFirst())
        let passed = try await home.start(arguments + ["providers/acme.yaml"]).finish()
        #expect(passed.status == 0, "\(passed)")
        let stopped = try await home.start(arguments + ["providers/acme.yaml", "providers/beta.yaml"]).finish()
        #expect(stopped.status == 1 && stopped.standardOutput.contains("providers/beta.yaml:5:"), "\(stopped)")
    }

    @Test("A hook is about the descriptors of a folder called providers", arguments: hooks)
    func aHookIsAboutTheDescriptors(_ hook: Hook) throws {
        let pattern = try Regex(hook.files)
        for path in ["providers/acme.yaml", "a/providers/acme.yml"] { #expect(path.contains(pattern), "\(path)") }
        for path in ["acme.yaml", "providers/acme.json", "providers/old/acme.yaml", "myproviders/acme.yaml"] {
            #expect(!path.contains(pattern), "\(path)")
        }
    }
}
