import ArgumentParser

/// The help of a command: its own options before those that many commands share, and continued lines of examples indented.
enum HelpText {
    /// The options that several commands share, in the order of their sections.
    private static let shared = [
        "PROVIDER OPTIONS:", "CLIENT OPTIONS:", "CONNECTION OPTIONS:", "OUTPUT OPTIONS:",
    ]
    private static let minimumWidth = 40

    /// - Parameters:
    ///   - render: Makes the parser's help for a width in columns.
    ///   - columns: The width of the terminal.
    static func laidOut(columns: Int, _ render: (Int) -> String) -> String {
        let columns = max(columns, minimumWidth)
        // The parser would wrap examples to the first column, so it gets room to leave them as they are.
        let wide = split(render(100_000))
        let narrow = split(render(columns))
        let head = wide.head.split(separator: "\n", omittingEmptySubsequences: false)
            .map { wrapped(String($0), columns: columns) }.joined(separator: "\n")
        return head + arranged(narrow.sections, columns: columns)
    }

    /// The text before the usage, and the rest.
    private static func split(_ help: String) -> (head: String, sections: String) {
        guard let usage = help.firstRange(of: "\nUSAGE: ") else { return ("", help) }
        return (String(help[...usage.lowerBound]), String(help[help.index(after: usage.lowerBound)...]))
    }

    /// The parser does not wrap the usage.
    private static func usage(_ block: String, columns: Int) -> String {
        // An option stays beside its value.
        let space = "\u{A0}"
        var depth = 0
        let joined = String(
            block.map { character -> Character in
                if character == "[" { depth += 1 } else if character == "]" { depth -= 1 }
                return character == " " && depth > 0 ? Character(space) : character
            })
        return wrapped(joined, columns: columns, hanging: "USAGE: ".count).replacing(space, with: " ")
    }

    private static func arranged(_ text: String, columns: Int) -> String {
        let blocks = text.split(separator: "\n\n", omittingEmptySubsequences: true).map(String.init)
        let isRoot = text.hasPrefix("USAGE: carnet <subcommand>")
        return blocks.enumerated().sorted { lhs, rhs in
            (rank(lhs.element, isRoot), lhs.offset) < (rank(rhs.element, isRoot), rhs.offset)
        }.map { block in
            if block.element.hasPrefix("USAGE: ") { return usage(block.element, columns: columns) }
            if block.element.hasPrefix("  See ") { return wrapped(block.element, columns: columns) }
            // The version is that of the whole program: `carnet --version`.
            return isRoot
                ? block.element
                : block.element.split(separator: "\n").filter { !$0.hasPrefix("  --version ") }.joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private static func rank(_ block: String, _ isRoot: Bool) -> Int {
        let title = String(block.prefix { $0 != "\n" })
        if title.hasPrefix("USAGE:") { return 0 }
        if title == "ARGUMENTS:" { return 1 }
        if title == "OPTIONS:" { return isRoot ? 4 : 2 }
        if let place = shared.firstIndex(of: title) { return 5 + place }
        return title.hasSuffix(":") ? 3 : 100
    }

    /// A line in lines of at most that many columns. Its continuation begins below its last column of text.
    ///
    /// - Parameter given: The column of continued lines, if it does not follow from the line.
    static func wrapped(_ line: String, columns: Int, hanging given: Int? = nil) -> String {
        guard line.count > columns else { return line }
        let indentation = line.prefix { $0 == " " }.count
        var hanging = given ?? (indentation == 0 ? 0 : indentation + 2)
        // A second column, after two spaces at least.
        if indentation > 0, let gap = line.dropFirst(indentation).firstRange(of: "  ") {
            let rest = line[gap.lowerBound...].drop { $0 == " " }
            let column = line.distance(from: line.startIndex, to: rest.startIndex)
            if column < columns * 2 / 3 { hanging = column }
        }
        var lines: [String] = []
        var current = ""
        for piece in pieces(line) {
            if current.count + piece.trailingSpacesRemoved.count > columns, !current.allSatisfy({ $0 == " " }) {
                lines.append(current.trailingSpacesRemoved)
                current = String(repeating: " ", count: hanging) + piece.drop { $0 == " " }
            } else {
                current += piece
            }
        }
        return (lines + [current.trailingSpacesRemoved]).joined(separator: "\n")
    }

    /// The words of a line, each with the spaces after it; the first with the indentation.
    private static func pieces(_ line: String) -> [String] {
        var pieces: [String] = []
        var current = ""
        for character in line {
            if character != " ", current.last == " ", !current.allSatisfy({ $0 == " " }) {
                pieces.append(current)
                current = ""
            }
            current.append(character)
        }
        return pieces + [current]
    }
}

extension String {
    fileprivate var trailingSpacesRemoved: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
