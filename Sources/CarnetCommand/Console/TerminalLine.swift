import CarnetDescriptors
import CarnetFoundation
import CarnetLint

/// Text that may reach a terminal: the only kind that this program writes, except for bytes that a command returns as
/// they are.
///
/// Text of a file or a server is escaped where a line is made of it (`String.printable`), with its line breaks. What a
/// line forgot is escaped here.
struct TerminalLine {
    /// What is written.
    let written: String

    /// Escapes everything but line breaks and this program's colours.
    init(_ line: String) {
        let scalars = Array(line.unicodeScalars)
        var output = String.UnicodeScalarView()
        var index = 0
        while index < scalars.count {
            if let style = Self.styles.first(where: { scalars[index...].starts(with: $0) }) {
                output.append(contentsOf: style)
                index += style.count
            } else {
                Self.append(scalars[index], to: &output)
                index += 1
            }
        }
        written = String(output)
    }

    /// A line that the next one replaces. It has no line break.
    init(progress line: String) {
        written = "\r\u{1B}[K" + TerminalText.escaped(line)
    }

    /// A JSON document: these characters are in its strings only.
    init(_ document: JSONValue, _ style: JSONValue.Layout = .indented) {
        var output = ""
        for scalar in document.jsonText(style).unicodeScalars {
            if scalar != "\n", TerminalText.mustBeEscaped(scalar) {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    output += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            } else {
                output.unicodeScalars.append(scalar)
            }
        }
        written = output
    }

    /// - Returns: Whether all of it was written.
    @discardableResult
    func write(to channel: OutputChannel, terminator: String = "\n") -> Bool { channel.write(written + terminator) }

    private static func append(_ scalar: Unicode.Scalar, to output: inout String.UnicodeScalarView) {
        if scalar != "\n", TerminalText.mustBeEscaped(scalar) {
            output.append(contentsOf: TerminalText.escaped(String(scalar)).unicodeScalars)
        } else {
            output.append(scalar)
        }
    }

    /// The colours of this program and of the linter's reports.
    private static let styles: [[Unicode.Scalar]] = ["0", "1", "2", "36", "1;31", "1;32", "1;33", "1;34", "97;40"]
        .map { Array("\u{1B}[\($0)m".unicodeScalars) }
}
