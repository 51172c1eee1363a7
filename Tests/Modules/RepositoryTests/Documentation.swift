import CarnetTestSupport
import Testing

extension Repository {
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
