import CarnetLint

/// How a piece of text looks on a terminal.
enum TextStyle: String {
    case strong = "1"
    case faint = "2"
    case success = "1;32"
    case failure = "1;31"
    case warning = "1;33"
    case place = "36"

    func paint(_ text: String) -> String { "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" }
}

func counted(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

extension String {
    /// The text with spaces after it up to a width in columns of a terminal.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - TerminalText.width(self)))
    }

    /// The text made safe for a terminal, which must not obey what comes from a file or a server.
    var printable: String { TerminalText.escaped(self) }

    /// Like `printable`, line by line.
    var printableLines: [String] {
        split(separator: "\n", omittingEmptySubsequences: false).map { TerminalText.escaped($0) }
    }
}
