import CarnetDescriptors
import CarnetLint
import Foundation
import Testing

@Suite("The documentation")
struct DocumentationTests {
    @Test("Every YAML block is a descriptor or a resource map without a finding")
    func yamlBlocks() throws {
        // The pages of Docs/lint are made from the rules, whose examples have a test of their own.
        let blocks = try Repository.documentation().filter { !$0.path.hasPrefix("Docs/lint/") }
            .flatMap(CodeBlock.all).filter { $0.info == "yaml" }
        #expect(blocks.count >= 5)
        for block in blocks {
            let file = SourceFile(path: block.description, text: block.text)
            let findings =
                block.text.hasPrefix("resources:")
                ? ResourceMapFile(file).diagnostics : DescriptorDocument(file).diagnostics
            #expect(findings.isEmpty, "\(findings.map(\.description).joined(separator: "\n"))")
        }
    }

    @Test("The finding in the README is what lint prints")
    func lintFinding() throws {
        let blocks = CodeBlock.all(in: try Repository.file("README.md"))
        let acme = try #require(blocks.first { $0.info == "yaml" }?.text)
        let misspelled = acme.replacing("scopes:", with: "scope:")
        let report = Linter().lint(files: [SourceFile(path: "providers/acme.yaml", text: misspelled)])
        let shown = try #require(blocks.first { $0.info == "text" }?.text)
        #expect(shown == TextReporter().render(report))
    }

    /// The snippets are a target of their own, so a block that is one of them compiles.
    @Test("Every Swift block is a compiled snippet, to the letter")
    func swiftBlocks() throws {
        let snippets = try Repository.files("Tests/Snippets", "swift")
        let blocks = try Repository.documentation().flatMap(CodeBlock.all).filter { $0.info == "swift" }
        #expect(!blocks.isEmpty)
        for block in blocks {
            let isCompiled = snippets.contains { $0.text.contains(block.text) }
            #expect(isCompiled, "\(block): no file of Tests/Snippets has this block")
        }
    }

    @Test("Every difference applies to a block before it, and gives a descriptor without a finding or compiled lines")
    func differences() throws {
        let snippets = try Repository.files("Tests/Snippets", "swift")
        var count = 0
        for blocks in try Repository.documentation().map(CodeBlock.all) {
            let bases = blocks.prefix { $0.info != "diff" }
            for block in blocks where block.info == "diff" {
                count += 1
                let (before, after) = block.difference
                let base = try #require(bases.first { $0.text.contains(before) }, "\(block): nothing to change")
                #expect(!before.isEmpty && before != after, "\(block)")
                guard base.info == "yaml" else {
                    #expect(snippets.contains { $0.text.contains(after) }, "\(block): no file of Tests/Snippets has it")
                    continue
                }
                let file = SourceFile(path: "providers/acme.yaml", text: base.text.replacing(before, with: after))
                let findings = Linter().lint(files: [file]).diagnostics
                #expect(findings.isEmpty, "\(block): \(findings.map(\.description).joined(separator: "\n"))")
            }
        }
        #expect(count >= 15)
    }

    @Test("Links between the pages lead somewhere")
    func links() throws {
        for page in try Repository.documentation() {
            let folder = Repository.root.appending(path: page.path).deletingLastPathComponent()
            for match in page.text.matches(of: /\]\(([^)#]+)(#[^)]*)?\)/) {
                let target = String(match.output.1)
                guard !target.contains("://"), !target.hasPrefix("mailto:") else { continue }
                let path = folder.appending(path: target).path
                #expect(FileManager.default.fileExists(atPath: path), "\(page.path) links to \(target)")
            }
        }
    }
}
