import CarnetDescriptors
import Foundation
import Testing

@testable import carnet_descriptor_tool

@Suite struct EmbeddedDescriptorsTests {
    private func document(_ id: String, _ rest: String = "") -> DescriptorDocument {
        let text = "carnet: 1\nid: \(id)\nname: Acme\nissuer: https://id.acme.example\n" + rest
        return DescriptorDocument(SourceFile(path: "p/\(id).yaml", text: text))
    }

    @Test func `each id becomes a constant`() {
        let source = EmbeddedDescriptors([document("acme"), document("acme-corp"), document("9lives")]).swiftSource
        #expect(source.contains("public static let `acme`: ProviderID = \"acme\"\n"))
        #expect(source.contains("public static let `acmeCorp`: ProviderID = \"acme-corp\"\n"))
        #expect(source.contains("public static let `_9lives`: ProviderID = \"9lives\"\n"))
    }

    @Test func `no text can end its literal`() {
        let source = EmbeddedDescriptors([document("acme", "docs: 'https://a.example/\"\\\\(x)' # \\ 🌱 \t\r\n")])
            .swiftSource
        #expect(source.contains(#"docs: 'https://a.example/\"\\\\(x)' # \\ \u{1f331} \u{9}\u{d}\n"#))
        #expect(source.unicodeScalars.allSatisfy { $0 == "\n" || (" "..."~").contains($0) })
    }

    @Test func `two ids with one constant are an error`() {
        let embedded = EmbeddedDescriptors([document("a-b"), document("a--b")])
        #expect(embedded.conflicts.map(\.message) == [#"the ids "a-b" and "a--b" both become the constant "aB""#])
        #expect(embedded.conflicts.map(\.span.start) == [SourcePosition(line: 2, column: 5)])
    }

    private func withFolder(_ files: [String: String], _ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "carnet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        try body(folder)
    }

    @Test func `a finding of the linter stops the build at its place`() throws {
        try withFolder(["acme.yaml": "carnet: 1\nid: acme\nname: Acme\nissuer: http://id.acme.example\n"]) { folder in
            let path = folder.appending(path: "acme.yaml").path
            let (source, findings) = DescriptorTool.embed(paths: [path])
            #expect(source == nil)
            #expect(findings.map(\.description) == ["\(path):4:9: error: issuer is not https [E001]"])
        }
    }

    @Test func `a parent may be one of the built-in descriptors`() throws {
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

    @Test func `a warning does not stop the build`() throws {
        try withFolder(["acme.yaml": "carnet: 1\nid: other\nname: Acme\nissuer: https://id.acme.example\n"]) { folder in
            let (source, findings) = DescriptorTool.embed(paths: [folder.appending(path: "acme.yaml").path])
            #expect(source != nil)
            #expect(findings.map(\.code) == ["M001"])
        }
    }

    @Test func `a file that cannot be read stops the build`() {
        let (source, findings) = DescriptorTool.embed(paths: ["/nowhere/acme.yaml"])
        #expect(source == nil)
        #expect(findings.map(\.code) == ["D016"])
    }
}
