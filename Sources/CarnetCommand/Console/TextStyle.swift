/// How a piece of text looks on a terminal.
enum TextStyle: String {
    case strong = "1"
    case faint = "2"
    case success = "1;32"
    case failure = "1;31"
    case warning = "1;33"
    case place = "36"
}

extension String {
    /// The text with spaces after it up to a width in characters.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    /// The text with every control and invisible formatting character written out: what comes from a file or a server
    /// must not drive the terminal.
    var printable: String {
        var output = ""
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: output += scalar.escaped(asASCII: true)
            // The joiners are needed by scripts and emoji; right-to-left overrides and their like are not.
            case .format where scalar != "\u{200C}" && scalar != "\u{200D}": output += scalar.escaped(asASCII: true)
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }

    /// As `printable`, line by line.
    var printableLines: [String] {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
    }
}
