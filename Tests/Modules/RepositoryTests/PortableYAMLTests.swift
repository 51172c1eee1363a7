import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetTestSupport
import Testing

/// A descriptor means the same to every tool that reads YAML: PyYAML reads version 1.1, ruamel.yaml version 1.2, and js-yaml,
/// where it is installed, a mixture.
@Suite("Portable YAML") struct PortableYAMLTests {
    private func parsers(reading files: [SourceFile]) throws -> [(parser: String, results: [JSONValue])] {
        let read = try YAMLParsers.read(files.map(\.text))
        #expect(Set(read.map(\.parser)).isSuperset(of: ["PyYAML", "ruamel.yaml"]))
        #expect(read.allSatisfy { $0.results.count == files.count })
        return read
    }

    private func expectSameMeaning(_ files: [SourceFile]) throws {
        #expect(!files.isEmpty)
        for (parser, results) in try parsers(reading: files) {
            for (file, result) in zip(files, results) {
                let own = try #require(YAMLParsers.value(of: file), "\(file.path)")
                guard let value = result["value"] else {
                    Issue.record("\(parser) cannot read \(file.path): \(result["error"]?.string ?? "")")
                    continue
                }
                let difference = YAMLParsers.difference(own, value)
                #expect(difference == nil, "\(parser) reads \(file.path) differently")
            }
        }
    }

    @Test("Every shipped descriptor means the same to other parsers")
    func providers() throws {
        try expectSameMeaning(
            Repository.files("providers", "yaml").map { SourceFile(path: $0.path, text: $0.text) })
    }

    @Test("Every YAML block of the documents means the same to other parsers")
    func documents() throws {
        // The pages of the rules show mistakes.
        let pages = try Repository.documentation().filter { !$0.path.hasPrefix("Docs/lint/") }
        let blocks = pages.flatMap(CodeBlock.all).filter { $0.info == "yaml" }
        try expectSameMeaning(blocks.map { SourceFile(path: "\($0.page):\($0.line)", text: $0.text + "\n") })
    }

    /// What another parser reads differently is a finding, and its fix is not.
    static let differing = [
        "a: yes", "a: No", "a: on", "a: OFF", "no: a", "a: 010", "a: 0o17", "a: 0x1F", "a: 0b11", "a: 1_000", "a: +1",
        "a: .5", "a: 1.", "a: .inf", "a: -.INF", "a: .nan", "a: 12:30", "a: 1:30:45.5", "a: 2026-11-21",
        "a: 2026-11-21 10:00:00Z", "a: 2026-1-2T10:00:00Z", "a: 1e3", "a: 1.5e3", "1.10: a", "true: a", "~: a", "a: =",
        "a: { b: http://c?d }", "a: [b?c]", "a:\tb", "a: { b: c,\td: e }",
    ]
    /// What all read alike.
    static let alike = [
        "a: yesterday", "a: n0", "a: 10", "a: -1.5", "a: 0", "a: -0", "a: 1.2.3", "a: 2026-11", "a: 10.0.0.1",
        "a: 'no'",
        "a: \"010\"", "a: true", "a: ~", "a:", "401: a", "a: http://c?d", "a: 'x\ty'", "a: b # c\td", "a: 1.5e+3",
        "a: 12:75", "a: 1:2:x", "a: 0xZZ", "a: .", "a: ...x", "a: +", "a: 1-2", "a: 1+1", "a: e5", "a: _1",
    ]

    /// In a sample, which takes any value.
    private func file(_ text: String) -> SourceFile {
        let head = "carnet: 1\nid: acme\nname: Acme\nissuer: https://acme.example\nsamples:\n  userinfo:\n    "
        return SourceFile(path: "acme.yaml", text: head + text + "\n")
    }

    private func findings(_ text: String) -> [Diagnostic] {
        Linter().lint(files: [file(text)]).diagnostics.filter { $0.code == "D024" }
    }

    @Test("What another parser reads differently is a finding, which its fix removes")
    func isFound() throws {
        let files = Self.differing.map(file)
        let others = try parsers(reading: files)
        for (index, text) in Self.differing.enumerated() {
            let found = findings(text)
            #expect(found.count == 1, "\(text): \(found)")
            let own = try #require(YAMLParsers.value(of: files[index]))
            #expect(
                others.contains { $0.results[index]["value"].map { YAMLParsers.difference(own, $0) != nil } ?? true },
                "\(text): \(others.map(\.results[index]))")
        }
    }

    @Test("What all parsers read alike is no finding")
    func isNotFound() throws {
        let files = Self.alike.map(file)
        for text in Self.alike { #expect(findings(text) == [], "\(text)") }
        try expectSameMeaning(files)
    }
}
