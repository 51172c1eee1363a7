extension JSONValue {
    package enum Layout: Sendable {
        case compact
        case indented
    }

    /// The JSON text of the value; non-ASCII characters stand as themselves.
    package func jsonText(_ layout: Layout = .compact) -> String {
        // Bytes, because a string looks at its form with each piece that is appended.
        var output: [UInt8] = []
        write(to: &output, layout: layout, indentation: "")
        return String(decoding: output, as: UTF8.self)
    }

    private func write(to output: inout [UInt8], layout: Layout, indentation: String) {
        switch self {
        case .null: output += "null".utf8
        case .bool(let value): output += value ? "true".utf8 : "false".utf8
        case .number(let text): output += text.utf8
        case .string(let text): Self.writeString(text, to: &output)
        case .array(let elements):
            Self.writeList(elements, "[", "]", to: &output, layout: layout, indentation: indentation) {
                element, output, indentation in
                element.write(to: &output, layout: layout, indentation: indentation)
            }
        case .object(let object):
            Self.writeList(object.members, "{", "}", to: &output, layout: layout, indentation: indentation) {
                member, output, indentation in
                Self.writeString(member.name, to: &output)
                output += layout == .indented ? ": ".utf8 : ":".utf8
                member.value.write(to: &output, layout: layout, indentation: indentation)
            }
        }
    }

    private static func writeList<Element>(
        _ elements: [Element],
        _ open: String,
        _ close: String,
        to output: inout [UInt8],
        layout: Layout,
        indentation: String,
        writeElement: (Element, inout [UInt8], String) -> Void
    ) {
        output += open.utf8
        let inner = indentation + "  "
        for (index, element) in elements.enumerated() {
            if index > 0 { output += ",".utf8 }
            if layout == .indented { output += "\n\(inner)".utf8 }
            writeElement(element, &output, inner)
        }
        if layout == .indented, !elements.isEmpty { output += "\n\(indentation)".utf8 }
        output += close.utf8
    }

    private static func writeString(_ text: String, to output: inout [UInt8]) {
        Work.count(text.utf8.count)
        output.append(UInt8(ascii: "\""))
        defer { output.append(UInt8(ascii: "\"")) }
        guard !text.utf8.allSatisfy(isPlain) else {
            output += text.utf8
            return
        }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": output += "\\\"".utf8
            case "\\": output += "\\\\".utf8
            case "\n": output += "\\n".utf8
            case "\r": output += "\\r".utf8
            case "\t": output += "\\t".utf8
            // YAML, which reads JSON, has no others; YAML 1.1 takes the separators for ends of lines.
            case "\u{0}"..<"\u{20}", "\u{7F}"..<"\u{A0}", "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{FFFE}", "\u{FFFF}":
                let hex = String(scalar.value, radix: 16)
                output += ("\\u" + String(repeating: "0", count: 4 - hex.count) + hex).utf8
            default: output += scalar.utf8
            }
        }
    }

    /// Whether a byte stands as itself, and is not a part of a character that might not.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}
