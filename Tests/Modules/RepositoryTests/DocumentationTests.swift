import CarnetCatalog
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetLint
import CarnetTestSupport
import Foundation
import Testing

@Suite("The documentation")
struct DocumentationTests {
    @Test("Every YAML block is a descriptor, a resource map or a gateway file without a finding")
    func yamlBlocks() throws {
        // The pages of Docs/lint are made from the rules, whose examples have a test of their own.
        let blocks = try Repository.documentation().filter { !$0.path.hasPrefix("Docs/lint/") }
            .flatMap(CodeBlock.all).filter { $0.info == "yaml" }
        #expect(blocks.count >= 5)
        for block in blocks {
            let file = SourceFile(path: block.description, text: block.text)
            let findings =
                if block.text.hasPrefix("resources:") {
                    ResourceMapFile(file).diagnostics
                } else if block.text.hasPrefix("gateway:") {
                    Linter(others: [GatewayFiles(registry: nil)]).diagnostics(in: [file])
                } else {
                    DescriptorDocument(file).diagnostics
                }
            #expect(findings.isEmpty, "\(findings.map(\.description).joined(separator: "\n"))")
        }
    }

    @Test("The finding on the page about linting is what lint prints")
    func lintFinding() throws {
        let blocks = CodeBlock.all(in: try Repository.file("Docs/linting.md"))
        let acme = try #require(blocks.first { $0.info == "yaml" }?.text)
        let misspelled = acme.replacing("issuer:", with: "isuer:")
        let report = Linter().lint(files: [SourceFile(path: "providers/acme.yaml", text: misspelled)])
        let shown = try #require(blocks.first { $0.info == "text" }?.text)
        #expect(shown == TextReporter().render(report))
    }

    /// The snippets are a target of their own, so a block that is one of them compiles.
    @Test("Every Swift block is a compiled snippet, to the letter")
    func swiftBlocks() throws {
        let snippets = try Repository.files("Tests/Programs/Snippets", "swift")
        // The guides in Tests/Programs/Outside are packages, and so is the README.
        let outside = try Repository.file("Tests/Programs/Outside/guides.py").text
        let guides = try Repository.documentation().filter { page in
            (page.path.hasPrefix("Docs/guides/") || page.path == "README.md") && outside.contains("\"\(page.name)\": ")
        }
        let pages = try Repository.documentation().filter { page in !guides.contains { $0.path == page.path } }
        let compiled = try snippets + guides.map { try Repository.file($0.path) }
        let blocks = try (pages + Repository.catalogues()).flatMap(CodeBlock.all).filter { $0.info == "swift" }
        #expect(!blocks.isEmpty)
        for block in blocks where !block.isManifest {
            let isCompiled = compiled.contains { $0.text.contains(block.text) }
            #expect(isCompiled, "\(block): no file of Tests/Programs/Snippets has this block")
        }
    }

    @Test("Every package manifest is valid, and depends on products of this package alone")
    func manifests() throws {
        let manifests = try Repository.documentation().flatMap(CodeBlock.all).filter(\.isManifest)
        #expect(manifests.count >= 5)
        let products = try Repository.file("Package.swift").text.matches(of: /name: "(\w+)", targets: \[/)
            .map { String($0.output.1) }
        for manifest in manifests {
            for match in manifest.text.matches(of: /\.product\(name: "(\w+)", package: "carnet"\)/) {
                #expect(products.contains(String(match.output.1)), "\(manifest) depends on \(match.output.1)")
            }
            try check(manifest)
        }
    }

    /// `guides.py --write-address` writes it into the pages.
    @Test("Every manifest depends on Carnet in the way that guides.py names")
    func address() throws {
        let outside = try Repository.file("Tests/Programs/Outside/guides.py").text
        let address = try #require(outside.firstMatch(of: /\nADDRESS = '([^']+)'/)).output.1
        for manifest in try Repository.documentation().flatMap(CodeBlock.all).filter(\.isManifest) {
            #expect(manifest.text.contains(address), "\(manifest) does not have \(address)")
        }
    }

    @Test("The README has the command that tries the product and the one that CI runs")
    func commands() throws {
        let commands = CodeBlock.all(in: try Repository.file("README.md")).filter { $0.info == "sh" }.map(\.text)
        #expect(commands.contains(".ci/setup && swift run carnet try google\n"))
        let run = try #require(try Repository.file(".ci/run").text.split(separator: "\n").last)
        #expect(run.hasPrefix("exec "))
        #expect(commands.contains("\(run.dropFirst(5))\n"))
    }

    @Test("The README counts the built-in providers")
    func numberOfProviders() throws {
        let readme = try Repository.file("README.md").text
        let count = try #require(readme.firstMatch(of: /\| providers \| \[(\d+) built in\]/)).output.1
        #expect(Int(count) == ProviderRegistry.builtIn.ids.count)
    }

    /// Evaluates a manifest as SwiftPM does, without resolving its dependencies.
    private func check(_ manifest: CodeBlock) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "manifest-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try manifest.text.write(to: folder.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["swift", "package", "dump-package", "--package-path", folder.path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = output
        try process.run()
        let problems = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(manifest): \(problems)")
    }

    @Test("Every difference applies to a block before it, and gives a descriptor without a finding or compiled lines")
    func differences() throws {
        let snippets = try Repository.files("Tests/Programs/Snippets", "swift")
        var count = 0
        // Tests/Programs/Outside applies those of a guide whose package begins with another guide's.
        let outside = try Repository.file("Tests/Programs/Outside/guides.py").text
        let pages = try Repository.documentation().filter { !outside.contains(", \"\($0.name)\", ") }
        for blocks in pages.map(CodeBlock.all) {
            let bases = blocks.prefix { $0.info != "diff" }
            for block in blocks where block.info == "diff" {
                count += 1
                let (before, after) = block.difference
                let base = try #require(bases.first { $0.text.contains(before) }, "\(block): nothing to change")
                #expect(!before.isEmpty && before != after, "\(block)")
                guard base.info == "yaml" else {
                    #expect(
                        snippets.contains { $0.text.contains(after) },
                        "\(block): no file of Tests/Programs/Snippets has it")
                    continue
                }
                let file = SourceFile(path: "providers/acme.yaml", text: base.text.replacing(before, with: after))
                let findings = Linter().lint(files: [file]).diagnostics
                #expect(findings.isEmpty, "\(block): \(findings.map(\.description).joined(separator: "\n"))")
            }
        }
        #expect(count >= 15)
    }

    @Test("The server of an app needs six lines on Hummingbird at most")
    func linesOfAnAppsServer() throws {
        let blocks = CodeBlock.all(in: try Repository.file("Docs/web.md"))
        let block = try #require(blocks.first { $0.text.contains("web.account(ofIDToken:") })
        // Without the function around them.
        #expect(block.text.split(separator: "\n").count - 2 <= 6)
    }

    @Test("An app with a name and a picture is five steps away from an empty folder at most")
    func stepsToAnApp() throws {
        let steps = try Repository.file("Examples/README.md").lines.filter { $0.text.contains(#/^\d+\. /#) }
        #expect((1...5).contains(steps.count))
    }

    @Test("Nothing names a folder of one build system: `swift build --show-bin-path` prints it")
    func buildFolders() throws {
        let git = Process()
        let output = Pipe()
        git.executableURL = URL(filePath: "/usr/bin/env")
        // As two patterns, so that this file names none.
        let patterns = ["debug", "release"].flatMap { ["-e", "\\.build/\($0)"] }
        git.arguments = ["git", "-c", "safe.directory=*", "-C", Repository.root.path, "grep", "-n"] + patterns
        git.standardOutput = output
        try git.run()
        let found = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        git.waitUntilExit()
        #expect(git.terminationStatus == 1 && found.isEmpty, "\(found)")
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

    @Test("Every page can be reached from the README")
    func reachablePages() throws {
        let pages = Dictionary(uniqueKeysWithValues: try Repository.documentation().map { ($0.path, $0) })
        var reached: Set<String> = []
        var waiting = ["README.md"]
        while let path = waiting.popLast() {
            guard let page = pages[path], reached.insert(path).inserted else { continue }
            let folder = URL(filePath: "/" + path).deletingLastPathComponent()
            for match in page.text.matches(of: /\]\(([^)#]+)(#[^)]*)?\)/) {
                waiting.append(String(folder.appending(path: String(match.output.1)).standardized.path.dropFirst()))
            }
        }
        #expect(Set(pages.keys).subtracting(reached) == [])
    }

    @Test("Every link to a heading leads to one")
    func headings() throws {
        let pages = Dictionary(uniqueKeysWithValues: try Repository.documentation().map { ($0.path, $0) })
        for page in pages.values where !page.path.hasPrefix("Docs/lint/") {
            let folder = URL(filePath: "/" + page.path).deletingLastPathComponent()
            for match in page.text.matches(of: /\]\(([^)#:]*)#([^)]+)\)/) {
                let file = String(match.output.1)
                let target =
                    file.isEmpty
                    ? page.path : String(folder.appending(path: file).standardized.path.dropFirst())
                let anchors = pages[target]?.headingAnchors ?? []
                #expect(anchors.contains(String(match.output.2)), "\(page.path) links to \(target)#\(match.output.2)")
            }
        }
    }

    @Test("Every log message is on the page about observation")
    func logMessages() throws {
        let page = try Repository.file("Docs/observation.md").text
        let messages = try Repository.files("Sources", "swift").flatMap { file in
            file.text.matches(of: /logger\.(?:trace|debug|info|notice|warning|error|critical)\(\s*"([^"]+)"/)
                .map { String($0.output.1) }
        }
        #expect(messages.count >= 5)
        for message in messages {
            #expect(page.contains("`\(message)`"), "Docs/observation.md does not list \"\(message)\"")
        }
    }

    @Test("Every symbol that a catalogue names is declared by its product")
    func catalogueSymbols() throws {
        let catalogues = try Repository.catalogues()
        #expect(catalogues.count >= 16)
        for list in try Repository.files("Tests/Modules/RepositoryTests/PublicSurface", "txt") {
            let product = URL(filePath: list.path).deletingPathExtension().lastPathComponent
            let symbols = Set(list.lines.map { String($0.text.prefix { $0 != " " }) }).union([product])
            for catalogue in catalogues where catalogue.path.hasSuffix("/\(product).md") {
                for match in catalogue.text.matches(of: /``(\w+)``/) {
                    let symbol = String(match.output.1)
                    #expect(symbols.contains(symbol), "\(catalogue.path) names \(symbol)")
                }
            }
        }
    }
}
