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
}

/// A fenced block of a Markdown page.
struct CodeBlock: CustomStringConvertible, Sendable {
    let page: String
    let line: Int
    /// What stands after the opening fence, e.g. `yaml`.
    let info: String
    let text: String

    var description: String { "\(page):\(line)" }

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
