import CarnetTestSupport
import Foundation
import Testing

/// Part of the toolchain or of the system, and the module that all may import.
private let systemModules: Set<String> = [
    "CarnetFoundation", "Foundation", "FoundationEssentials", "FoundationNetworking", "PackagePlugin",
    "Synchronization",
    "Dispatch", "CDispatch", "Glibc", "Darwin", "Musl", "AuthenticationServices", "UIKit", "AppKit", "Security",
    "SwiftUI", "Observation", "os",
]

@Suite("The structure of the repository")
struct StructureTests {
    @Test("The sources of a module import what Package.swift lists for it, and nothing else")
    func imports() throws {
        let targets = try PackageGraph.targets()
        for row in try ModuleTable.rows() where !row.isPlugin {
            let listed = try #require(targets[row.module], "\(row): there is no such target").imports
            let files = try Repository.files("Sources/\(row.module)", "swift")
            #expect(!files.isEmpty, "\(row): Sources/\(row.module) has no Swift files")
            var found: Set<String> = []
            for file in files {
                for (number, line) in file.lines {
                    guard let name = importedModule(line).map(ModuleTable.product(of:)), !systemModules.contains(name)
                    else {
                        continue
                    }
                    found.insert(name)
                    #expect(
                        listed.contains(name), "\(file.path):\(number) imports \(name); Package.swift does not list it")
                }
            }
            #expect(listed.subtracting(found).isEmpty, "\(row.module): Package.swift lists what no source imports")
        }
    }

    @Test("Every folder of Sources has its row")
    func everyModuleIsKnown() throws {
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: Repository.root.appending(path: "Sources").path)
        let modules = try ModuleTable.rows().map(\.module)
        #expect(Set(folders).subtracting(["CLibCrypto", "CLibCurl", "CLibPQ", "CLibYAML", "CLibZ"]) == Set(modules))
        #expect(modules.count == Set(modules).count)
    }

    @Test("A module imports modules of its own part and of those below, and no edge imports the language")
    func parts() throws {
        let rows = try ModuleTable.rows()
        let targets = try PackageGraph.targets()
        let parts = Dictionary(uniqueKeysWithValues: rows.map { ($0.module, $0.part) })
        #expect(Set(parts.values) == Set(ModuleTable.parts))
        for row in rows {
            let level = try #require(ModuleTable.parts.firstIndex(of: row.part), "\(row): unknown part")
            let imports = row.isPlugin ? [] : targets[row.module]?.imports ?? []
            for (name, part) in imports.compactMap({ name in parts[name].map { (name, $0) } }) {
                let below = try #require(ModuleTable.parts.firstIndex(of: part))
                #expect(below <= level, "\(row) imports \(name) of a higher part")
                if row.part == "edges" { #expect(part != "language", "\(row) imports the language: \(name)") }
            }
        }
    }

    @Test("The provider of the conformance suite depends on the cryptographic library alone")
    func independentProvider() throws {
        let provider = try #require(try PackageGraph.targets()["ConformanceProvider"])
        #expect(provider.targets.isEmpty && provider.products == ["Crypto", "CryptoExtras"])
    }

    @Test("The tests are in seven folders")
    func testFolders() throws {
        let names = try FileManager.default.contentsOfDirectory(
            atPath: Repository.root.appending(path: "Tests").path)
        #expect(Set(names) == ["Attacks", "Conformance", "Flows", "Modules", "Peers", "Programs", "Support"])
    }

    /// Ids that are words of the code base too, with what they mean there.
    private static let ordinaryWords = [
        "apple": "the platforms",
        "box": "a sealed box of AES-GCM",
        "buffer": "a buffer of bytes",
        "github": "the report format of GitHub Actions",
        "line": "a line of text",
        "linear": "a linear time or scale",
        "threads": "the threads of a process",
    ]

    @Test("Nothing outside providers/ depends on a provider's name")
    func noProviderNamedInSources() throws {
        let descriptors = try Repository.files("providers", "yaml")
        let ids = Set(descriptors.map { String($0.path.dropFirst("providers/".count).dropLast(".yaml".count)) })
        #expect(ids.count >= 120)
        #expect(ids.isSuperset(of: Self.ordinaryWords.keys))
        let names = ids.subtracting(Self.ordinaryWords.keys)
        let hosts = Set(descriptors.flatMap(\.hosts))
        #expect(hosts.count >= 120)
        for file in try Repository.files("Sources", "swift") {
            for (number, line) in file.lines {
                let words = line.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "-" }.map(String.init)
                var found = words.first(where: names.contains).map { "names \($0)" }
                if line.utf8.contains(UInt8(ascii: "\"")) {
                    // As a member of JSON, `line` is the line of a finding.
                    let literals = line.matches(of: /"([a-z0-9-]+)"/).map { String($0.output.1) }
                    found = found ?? literals.first { $0 != "line" && ids.contains($0) }.map { "names \($0)" }
                }
                if words.contains("providerid") {
                    // `ProviderID.line` and its like are made at build time.
                    let constants = line.matches(of: /ProviderID\.`?([A-Za-z0-9_]+)/).map { $0.output.1.lowercased() }
                    found = found ?? constants.first(where: ids.contains).map { "names \($0)" }
                }
                if !isComment(line) {
                    found = found ?? Self.hosts(in: line).first(where: hosts.contains).map { "has the host \($0)" }
                }
                if let found { Issue.record("\(file.path):\(number) \(found)") }
            }
        }
    }

    /// Whatever may be a host in a line: labels with dots between, and each part of it.
    private static func hosts(in line: Substring) -> [String] {
        guard line.utf8.contains(UInt8(ascii: ".")) else { return [] }
        let names = line.split { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "." }
        return names.flatMap { name in
            let labels = name.split(separator: ".")
            return labels.indices.flatMap { first in
                labels.indices[first...].dropFirst().map { labels[first...$0].joined(separator: ".") }
            }
        }
    }

    @Test("Time, randomness and printing come from outside")
    func noAmbientInputs() throws {
        let forbidden = [
            "Date()", "Date.now", "UUID()", "SystemRandomNumberGenerator()", ".random(in", "randomElement()",
        ]
        for file in try Repository.files("Sources", "swift") where !file.path.hasSuffix("Defaults.swift") {
            for (number, line) in file.lines where !isComment(line) {
                let found = forbidden.first { line.contains($0) }
                #expect(found == nil, "\(file.path):\(number) uses \(found ?? "")")
            }
        }
    }

    @Test("Libraries do not print, and nothing forces an error or a value away")
    func noShortcuts() throws {
        for file in try Repository.files("Sources", "swift") {
            let isLibrary = !file.path.hasPrefix("Sources/CarnetCommand/")
            for (number, line) in file.lines where !isComment(line) {
                let call = line.firstRange(of: "print(").map { line[..<$0.lowerBound].last }
                let prints =
                    isLibrary && call.map { $0.map { !$0.isLetter && $0 != "." && $0 != "_" } ?? true } ?? false
                #expect(!prints, "\(file.path):\(number) prints")
                let found = ["try!", " as! ", "fatalError("].first { line.contains($0) }
                #expect(found == nil, "\(file.path):\(number) uses \(found ?? "")")
            }
        }
    }

    @Test("The top level holds nothing but what belongs there")
    func topLevel() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Repository.root.path)
        let visible = names.filter { !$0.hasPrefix(".") && $0 != "Package.resolved" }
        let needed: Set = [
            "Package.swift", "Sources", "Tests", "Examples", "providers", "Docs", "README.md", "LICENSE",
            "CHANGELOG.md",
            "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md",
            // For the hooks in Python.
            "pyproject.toml",
        ]
        #expect(Set(visible) == needed)
    }

    @Test("Every test and every suite has a display name")
    func displayNames() throws {
        let unnamed = /^\s*@(?:Test|Suite)(?! *\((?: *$| *"))/
        for file in try Repository.files("Tests", "swift") {
            for (line, number) in zip(file.text.split(separator: "\n", omittingEmptySubsequences: false), 1...) {
                #expect(line.firstMatch(of: unnamed) == nil, "\(file.path):\(number) has no display name")
            }
        }
    }

    @Test("The Swift sources are formatted, and force nothing")
    func formatting() throws {
        let format = Process()
        let output = Pipe()
        format.executableURL = URL(filePath: "/usr/bin/env")
        format.arguments = [
            "swift", "format", "lint", "--recursive", "--strict", "Package.swift", "Sources", "Tests", "Examples",
        ]
        format.currentDirectoryURL = Repository.root
        format.standardError = output
        try format.run()
        let findings = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        format.waitUntilExit()
        #expect(format.terminationStatus == 0, "\(findings)")
    }

    /// Otherwise one of them has no limits, and reads requests in another way.
    @Test("Every server is made in one place")
    func servers() throws {
        let makers = try Repository.files("Sources", "swift").filter { $0.text.contains(/\bApplication\(/) }
        #expect(makers.map(\.path) == ["Sources/CarnetHummingbird/Server/ServerLimits.swift"])
    }

    /// A tag or a branch may get another program at any time.
    @Test("The workflow of a release names each action by its commit, and a tool by its version")
    func actions() throws {
        let workflow = try Repository.file(".github/workflows/release.yml")
        var count = 0
        for (number, line) in workflow.lines {
            if let use = line.firstMatch(of: /uses: (.*)/)?.output.1 {
                count += 1
                #expect(use.wholeMatch(of: /[A-Za-z\/-]+@[0-9a-f]{40} # v[0-9.]+/) != nil, "line \(number): \(line)")
            }
            for tool in line.matches(of: /pipx run ([^ ]+)/) {
                #expect(tool.output.1.contains("=="), "line \(number): \(line)")
            }
        }
        #expect(count > 10)
        // A job that can sign runs nothing that was not reviewed with the workflow.
        let jobs = workflow.text.components(separatedBy: "\n\n  ").filter { $0.contains("id-token: write") }
        #expect(jobs.count == 2 && jobs.allSatisfy { !$0.contains("pipx") && !$0.contains("apt-get") })
    }

    private func importedModule(_ line: Substring) -> String? {
        var words = line.split(separator: " ")[...]
        while let word = words.first,
            word.hasPrefix("@") || ["public", "package", "internal", "private"].contains(word)
        {
            words = words.dropFirst()
        }
        guard words.first == "import" else { return nil }
        words = words.dropFirst()
        if let kind = words.first, ["struct", "class", "enum", "func", "protocol"].contains(kind) {
            words = words.dropFirst()
        }
        return words.first.map { String($0.prefix { $0 != "." }) }
    }

    private func isComment(_ line: Substring) -> Bool {
        line.drop { $0 == " " }.hasPrefix("//")
    }
}

extension Repository.File {
    /// The hosts that a descriptor names for its endpoints and its API.
    fileprivate var hosts: [String] {
        text.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /^ *-? *[a-z_]+: "?https:\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)+)[\/"]/)
        }.map { String($0.output.1) }.filter { !$0.hasSuffix(".example") && !$0.contains("example.") }
    }
}
