extension JSONValue {
    package enum Layout: Sendable {
        case compact
        case indented
    }

    /// The JSON text of the value; non-ASCII characters stand as themselves.
    package func jsonText(_ layout: Layout = .compact) -> String {
        var writer = JSONWriter(layout: layout)
        writer.write(self, indentation: "")
        return String(decoding: writer.output, as: UTF8.self)
    }
}

private struct JSONWriter {
    let layout: JSONValue.Layout
    /// Bytes, because a string looks at its form with each piece that is appended.
    var output: [UInt8] = []

    mutating func write(_ value: JSONValue, indentation: String) {
        switch value {
        case .null: output += "null".utf8
        case .bool(let value): output += value ? "true".utf8 : "false".utf8
        case .number(let text): output += text.utf8
        case .string(let text): writeString(text)
        case .array(let elements):
            writeList(elements, "[", "]", indentation) { writer, element, inner in
                writer.write(element, indentation: inner)
            }
        case .object(let object):
            writeList(object.members, "{", "}", indentation) { writer, member, inner in
                writer.writeString(member.name)
                writer.output += writer.layout == .indented ? ": ".utf8 : ":".utf8
                writer.write(member.value, indentation: inner)
            }
        }
    }

    private mutating func writeList<Element>(
        _ elements: [Element], _ open: String, _ close: String, _ indentation: String,
        writeElement: (inout Self, Element, String) -> Void
    ) {
        output += open.utf8
        let inner = indentation + "  "
        for (index, element) in elements.enumerated() {
            if index > 0 { output += ",".utf8 }
            if layout == .indented { output += "\n\(inner)".utf8 }
            writeElement(&self, element, inner)
        }
        if layout == .indented, !elements.isEmpty { output += "\n\(indentation)".utf8 }
        output += close.utf8
    }

    private mutating func writeString(_ text: String) {
        Work.count(text.utf8.count)
        output.append(UInt8(ascii: "\""))
        defer { output.append(UInt8(ascii: "\"")) }
        guard !text.utf8.allSatisfy(Self.isPlain) else {
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
