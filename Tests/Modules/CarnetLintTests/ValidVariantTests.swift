import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetTestSupport
import Foundation
import Testing

/// Descriptors that nothing is wrong with, in every style that YAML has: no false alarm.
@Suite("Valid variant")
struct ValidVariantTests {
    struct Style: Sendable {
        let name: String
        let apply: @Sendable (String) -> String
    }

    static let styles = [
        Style(name: "as written") { $0 },
        Style(name: "CRLF") { $0.replacing("\n", with: "\r\n") },
        Style(name: "CR") { $0.replacing("\n", with: "\r") },
        Style(name: "byte order mark") { "\u{FEFF}" + $0 },
        Style(name: "comments") { text in
            "# 名前 🌱\n" + text.split(separator: "\n").map { "\($0)  # 👩‍👩‍👧 \($0.count)\n" }.joined()
        },
        Style(name: "document marks") { "%YAML 1.2\n---\n" + $0 + "...\n" },
        Style(name: "tabs and trailing space") { text in
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            return lines.map { $0.isEmpty ? "" : $0 + " \t" }.joined(separator: "\n")
        },
        Style(name: "quoted keys") {
            $0.replacing(/(?m)^( *(?:- )?)([a-z_]+):/) { "\($0.output.1)\"\($0.output.2)\":" }
        },
        Style(name: "no last line break") { String($0.dropLast()) },
        Style(name: "JSON") { text in
            // A suppression is a comment, which JSON has not.
            text.contains("# carnet-lint")
                ? text : YAMLReader().read(SourceFile(path: "acme.yaml", text: text)).root.map(json) ?? text
        },
    ]

    /// A tree in flow style, which JSON is a part of.
    private static func json(_ node: YAMLNode) -> String {
        switch node.content {
        case .mapping(let entries):
            return "{"
                + entries.map { "\(JSONValue.string($0.key).jsonText()): \(json($0.value))" }.joined(separator: ", ")
                + "}"
        case .sequence(let elements): return "[" + elements.map(json).joined(separator: ", ") + "]"
        case .scalar(let scalar):
            let isWord = scalar.isNull || scalar.boolean != nil || scalar.number != nil
            return isWord ? scalar.text : JSONValue.string(scalar.text).jsonText()
        }
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Valid")

    static func texts() throws -> [(name: String, text: String)] {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
            (name: name, text: String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self))
        }
        return files + DescriptorReference.wholeExamples.map { (name: "example of \($0.path)", text: $0.text) }
    }

    @Test("A good descriptor in any style has no finding", arguments: styles.indices)
    func aGoodDescriptorInAnyStyle(style index: Int) throws {
        let style = Self.styles[index]
        let texts = try Self.texts()
        #expect(texts.count * Self.styles.count >= 250)
        for (name, text) in texts {
            let file = SourceFile(path: "acme.yaml", text: style.apply(text))
            // PyYAML reads no tab at the end of a line.
            let found = Linter().lint(files: [file]).diagnostics
                .filter { $0.code != "D024" || !style.name.contains("tabs") }
            #expect(found.isEmpty, "\(name), \(style.name): \(found)\n\(file.text)")
            #expect(DescriptorDocument(file).descriptor != nil, "\(name), \(style.name)")
        }
    }
}
