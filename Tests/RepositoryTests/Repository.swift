import Foundation
import Testing

/// The checkout that the tests were built from.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    struct File: CustomTestStringConvertible, Sendable {
        /// Relative to the root.
        let path: String
        let text: String

        /// The last part of the path, without what follows its first dot.
        var name: String { String(path.split(separator: "/").last?.prefix { $0 != "." } ?? "") }

        var testDescription: String { path }
        var lines: [(number: Int, text: Substring)] {
            text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
                ($0.offset + 1, $0.element)
            }
        }
    }

    /// The files below a folder with one of the extensions, sorted by path.
    static func files(_ folder: String, _ extensions: String...) throws -> [File] {
        let base = root.appending(path: folder)
        let paths = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
        return try paths.filter { path in extensions.contains { path.hasSuffix("." + $0) } }.sorted().map { path in
            File(path: "\(folder)/\(path)", text: try String(contentsOf: base.appending(path: path), encoding: .utf8))
        }
    }

    static func file(_ path: String) throws -> File {
        File(path: path, text: try String(contentsOf: root.appending(path: path), encoding: .utf8))
    }

    /// README.md and every page of Docs.
    static func documentation() throws -> [File] {
        [try file("README.md")] + (try files("Docs", "md"))
    }

    /// The DocC catalogues of the products.
    static func catalogues() throws -> [File] {
        try files("Sources", "md").filter { $0.path.contains(".docc/") }
    }
}

/// A fenced block of a Markdown page.
struct CodeBlock: CustomStringConvertible, Sendable {
    let page: String
    let line: Int
    /// What stands after the opening fence, e.g. `yaml`.
    let info: String
    let text: String

    var description: String { "\(page):\(line)" }

    /// Whether the block is a `Package.swift`.
    var isManifest: Bool { text.hasPrefix("// swift-tools-version") }

    /// What a block of the kind `diff` replaces, and by what: both with the lines that stay.
    var difference: (before: String, after: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        func side(without mark: Character) -> String {
            lines.filter { $0.first != mark }.map { $0.dropFirst() + "\n" }.joined()
        }
        return (side(without: "+"), side(without: "-"))
    }

    static func all(in page: Repository.File) -> [CodeBlock] {
        var blocks: [CodeBlock] = []
        var open: (line: Int, info: String, lines: [Substring])?
        for (number, line) in page.lines {
            if line.hasPrefix("```") {
                if let block = open {
                    let text = block.lines.map { $0 + "\n" }.joined()
                    blocks.append(CodeBlock(page: page.path, line: block.line, info: block.info, text: text))
                    open = nil
                } else {
                    open = (number, String(line.dropFirst(3)), [])
                }
            } else {
                open?.lines.append(line)
            }
        }
        return blocks
    }
}

extension Repository.File {
    /// The anchors of the headings, as GitHub makes them.
    var headingAnchors: Set<String> {
        var isCode = false
        var anchors: Set<String> = []
        for (_, line) in lines {
            if line.hasPrefix("```") { isCode.toggle() }
            guard !isCode, line.hasPrefix("#") else { continue }
            let title = line.drop { $0 == "#" }.dropFirst().lowercased()
            let kept = title.filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
            anchors.insert(kept.replacing(" ", with: "-"))
        }
        return anchors
    }

    /// The text without code blocks, code spans and the targets of links.
    var prose: [(number: Int, text: String)] {
        var isCode = false
        var prose: [(number: Int, text: String)] = []
        for (number, line) in lines {
            if line.hasPrefix("```") { isCode.toggle() }
            guard !isCode, !line.hasPrefix("    ") else { continue }
            let text = String(line).replacing(/`[^`]*`/, with: "").replacing(/\]\([^)]*\)/, with: "]")
            prose.append((number, text))
        }
        return prose
    }
}
