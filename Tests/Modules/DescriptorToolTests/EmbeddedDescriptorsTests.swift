import CarnetCatalog
import CarnetDescriptors
import CarnetFoundation
import Foundation
import Testing

@testable import carnet_descriptor_tool

@Suite("Embedded descriptors")
struct EmbeddedDescriptorsTests {
    private func document(_ id: String, _ rest: String = "") -> DescriptorDocument {
        let text = "carnet: 1\nid: \(id)\nname: Acme\nissuer: https://id.acme.example\n" + rest
        return DescriptorDocument(SourceFile(path: "p/\(id).yaml", text: text))
    }

    private func source(_ documents: [DescriptorDocument]) -> String {
        var registry = ProviderRegistry()
        registry.add(documents.map(\.file), origin: .folder("p"))
        return documents.compactMap { EmbeddedDescriptor($0, in: registry) }.swiftSource
    }

    @Test("Each id becomes a constant")
    func eachIdBecomesAConstant() {
        let source = source([document("acme"), document("acme-corp"), document("9lives")])
        #expect(source.contains("public static let `acme`: ProviderID = \"acme\"\n"))
        #expect(source.contains("public static let `acmeCorp`: ProviderID = \"acme-corp\"\n"))
        #expect(source.contains("public static let `_9lives`: ProviderID = \"9lives\"\n"))
        #expect(!source.contains("[String: String]"))
    }

    @Test("Inputs become parameters, those with a value of their own optional ones behind the others")
    func inputsBecomeParametersThose() {
        let inputs = """
            inputs:
              region: { title: "Region */ \u{fc}", enum: [eu-west, co.uk], default: co.uk }
              tenant_id: { title: Tenant }
              api_key: { secret: true }
              class: { optional: true }
            endpoints:
              token: https://{tenant_id}.acme.example/token

            """
        let child = DescriptorDocument(
            SourceFile(path: "p/team.yaml", text: "carnet: 1\nid: team\nname: Team\nextends: acme\n"))
        let source = source([document("acme", inputs), child])
        #expect(
            source.contains(
                "public static func `acme`(`tenantId`: String, `apiKey`: Secret, "
                    + "`region`: AcmeInputs.Region? = nil, `class`: String? = nil) -> [String: String] { "))
        #expect(source.contains("public static func `team`(`tenantId`: String, `apiKey`: Secret, "))
        #expect(
            source.contains(
                "[\"tenant_id\": `tenantId`, \"api_key\": `apiKey`.reveal(), \"region\": `region`?.rawValue, "))
        #expect(source.contains("\"class\": `class`]"))
        #expect(source.contains("        case `euWest` = \"eu-west\"\n        case `coUk` = \"co.uk\"\n"))
        #expect(source.contains("/// - Parameter region: Region */  \n"))
    }

    @Test("Values with one name in code are given as strings")
    func valuesWithOneName() {
        let inputs = """
            inputs:
              version: { enum: ["1.0", "10"] }
              sign: { enum: ["+", "-"] }
            endpoints:
              token: https://{version}.{sign}.acme.example/token

            """
        let source = source([document("acme", inputs)])
        #expect(source.contains("public static func `acme`(`version`: String, `sign`: String) -> [String: String] { "))
        #expect(source.contains("\"version\": `version`"))
        #expect(!source.contains("enum AcmeInputs"))
    }

    /// The file is committed, so that no host runs a plugin to use the catalogue. `CARNET_UPDATE_DOCS=1` writes it anew.
    @Test("The catalogue's Swift file has the descriptors of the folder")
    func theCatalogue() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let folder = root.appending(path: "providers").path
        let paths = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".yaml") }
            .sorted().map { "\(folder)/\($0)" }
        let (source, findings) = DescriptorTool.embed(paths: paths)
        let embedded = try #require(source, "\(findings)")
        let file = root.appending(path: "Sources/CarnetCatalog/Generated/EmbeddedProviders.swift")
        if ProcessInfo.processInfo.environment["CARNET_UPDATE_DOCS"] == "1" {
            try Data(embedded.utf8).write(to: file)
        }
        let written = try String(contentsOf: file, encoding: .utf8)
        #expect(
            written == embedded, "\(file.path) is not current; run CARNET_UPDATE_DOCS=1 .ci/test DescriptorToolTests")
    }

    @Test("No string can end its literal")
    func noTextCanEndItsLiteral() {
        let source = source([document("acme", "docs: 'https://a.example/\"\\\\(x)' # \\ 🌱 \t\r\n")])
        #expect(source.contains(#"docs: 'https://a.example/\"\\\\(x)' # \\ \u{1f331} \u{9}\u{d}\n"#))
        #expect(source.unicodeScalars.allSatisfy { $0 == "\n" || (" "..."~").contains($0) })
    }

    @Test("Two ids with one constant are an error")
    func twoIdsWithOneConstant() {
        let conflicts = DescriptorTool.conflicts(of: [document("a-b"), document("a--b")])
        #expect(conflicts.map(\.message) == [#"the ids "a-b" and "a--b" both become the constant "aB""#])
        #expect(conflicts.map(\.span.start) == [SourcePosition(line: 2, column: 5)])
    }

    private func withFolder(_ files: [String: String], _ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "carnet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        try body(folder)
    }

    @Test("A finding of the linter stops the build at its place")
    func aFindingOfTheLinterStops() throws {
        try withFolder(["acme.yaml": "carnet: 1\nid: acme\nname: Acme\nissuer: http://id.acme.example\n"]) { folder in
            let path = folder.appending(path: "acme.yaml").path
            let (source, findings) = DescriptorTool.embed(paths: [path])
            #expect(source == nil)
            #expect(findings.map(\.description) == ["\(path):4:9: error: issuer is not https [E001]"])
        }
    }

    @Test("A parent may be one of the built-in descriptors")
    func aParentMayBeOne() throws {
        let child = "carnet: 1\nid: team\nname: Team\nextends: acme\n"
        let parent = "carnet: 1\nid: acme\nname: Acme\nissuer: https://id.acme.example\n"
        try withFolder(["team.yaml": child]) { folder in
            let paths = [folder.appending(path: "team.yaml").path]
            #expect(DescriptorTool.embed(paths: paths).findings.map(\.code) == ["K020"])
            try withFolder(["acme.yaml": parent]) { builtIn in
                let (source, findings) = DescriptorTool.embed(paths: paths, parents: builtIn.path)
                #expect(findings.isEmpty)
                #expect(source?.contains("`team`") == true)
                #expect(source?.contains("`acme`") == false)
            }
        }
    }

    @Test("Two inputs with one name in code stop the build at the second one")
    func twoInputsWithOneName() throws {
        let text = """
            carnet: 1
            id: acme
            name: Acme
            inputs:
              tenant_id: { type: identifier }
              tenant-id: { type: identifier }
            issuer: https://{tenant_id}.acme.example
            """
        try withFolder(["acme.yaml": text]) { folder in
            let path = folder.appending(path: "acme.yaml").path
            let (source, findings) = DescriptorTool.embed(paths: [path])
            #expect(source == nil)
            #expect(
                findings.filter { $0.severity == .error }.map(\.description) == [
                    "\(path):6:3: error: the inputs \"tenant_id\" and \"tenant-id\" have the same name in code [K108]"
                ])
        }
    }

    @Test("A warning does not stop the build")
    func aWarningDoesNotStop() throws {
        try withFolder(["acme.yaml": "carnet: 1\nid: other\nname: Acme\nissuer: https://id.acme.example\n"]) { folder in
            let (source, findings) = DescriptorTool.embed(paths: [folder.appending(path: "acme.yaml").path])
            #expect(source != nil)
            #expect(findings.map(\.code) == ["M001"])
        }
    }

    @Test("A file that cannot be read stops the build")
    func aFileThatCannotBeRead() {
        let (source, findings) = DescriptorTool.embed(paths: ["/nowhere/acme.yaml"])
        #expect(source == nil)
        #expect(findings.map(\.code) == ["D016"])
    }
}
