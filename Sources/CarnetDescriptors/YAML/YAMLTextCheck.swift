import CarnetFoundation

/// Looks through the bytes of a file before libyaml sees them.
///
/// What passes is UTF-8 of printable characters whose lines are the same for every reader: YAML 1.1 parsers, libyaml
/// among them, also break lines at U+0085, U+2028 and U+2029, where an editor and YAML 1.2 see one line.
struct YAMLTextCheck {
    /// What was found; empty if libyaml may read the text.
    private(set) var diagnostics: [Diagnostic] = []
    private(set) var hasNumberSign = false
    /// Whether a line starts with `%`, as directives do.
    private(set) var hasPercentLine = false

    init(_ file: SourceFile, text: SourceText, limits: YAMLLimits) {
        guard file.bytes.count <= limits.maximumBytes else {
            let message = "the file is larger than \(byteCountDescription(limits.maximumBytes))"
            diagnostics = [ReaderDiagnostics.fileTooLarge.diagnostic(message, file: file.path, span: .fileStart)]
            return
        }
        if let encoding = Self.otherEncoding(of: file.bytes) {
            diagnostics = [
                ReaderDiagnostics.notUTF8.diagnostic(
                    "the file is encoded in \(encoding)", file: file.path, span: .fileStart, help: "save it as UTF-8")
            ]
            return
        }
        check(file, text: text)
    }

    /// The encoding that the first bytes are of, if it is not UTF-8 (YAML 1.2.2, section 5.2).
    private static func otherEncoding(of bytes: [UInt8]) -> String? {
        func byte(_ index: Int) -> UInt8 { bytes.indices.contains(index) ? bytes[index] : 1 }
        return switch (byte(0), byte(1), byte(2), byte(3)) {
        case (0, 0, 0xFE, 0xFF), (0xFF, 0xFE, 0, 0), (0, 0, 0, 0x09..<0x7F), (0x09..<0x7F, 0, 0, 0): "UTF-32"
        case (0xFF, 0xFE, _, _), (0xFE, 0xFF, _, _), (0, 0x09..<0x7F, _, _), (0x09..<0x7F, 0, _, _): "UTF-16"
        default: nil
        }
    }

    private mutating func check(_ file: SourceFile, text: SourceText) {
        func report(_ rule: DiagnosticExplanation, _ message: String, help: String, at offset: Int, count: Int) {
            let start = text.position(ofOffset: offset)
            let span = SourceSpan(start: start, end: SourcePosition(line: start.line, column: start.column + 1))
            let others = count > 1 ? "; the file has \(count - 1) more such place\(count > 2 ? "s" : "")" : ""
            diagnostics.append(rule.diagnostic(message, file: file.path, span: span, help: help + others))
        }
        var invalid: (first: Int, count: Int)?
        var control: (first: Int, scalar: UInt32, count: Int)?
        text.bytes.withUnsafeBufferPointer { bytes in
            var offset = text.startOffset
            if Self.isPlain(bytes, from: offset) {
                hasNumberSign = bytes.place(of: UInt8(ascii: "#"), from: offset) != nil
                return
            }
            var isLineStart = true
            while offset < bytes.count {
                let byte = bytes[offset]
                if (0x20..<0x7F).contains(byte) {
                    if byte == UInt8(ascii: "#") { hasNumberSign = true }
                    if isLineStart, byte == UInt8(ascii: "%") { hasPercentLine = true }
                    isLineStart = false
                    offset += 1
                    continue
                }
                isLineStart = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
                guard let (scalar, length) = UTF8Sequence.scalar(in: bytes, at: offset) else {
                    invalid = (invalid?.first ?? offset, (invalid?.count ?? 0) + 1)
                    offset += 1
                    continue
                }
                if !Self.isAllowed(scalar) {
                    control = (control?.first ?? offset, control?.scalar ?? scalar, (control?.count ?? 0) + 1)
                }
                offset += length
            }
        }
        if let invalid {
            let byte = Self.hexadecimal(UInt32(file.bytes[invalid.first]), digits: 2)
            report(
                ReaderDiagnostics.notUTF8, "the byte 0x\(byte) is not UTF-8", help: "save the file as UTF-8",
                at: invalid.first, count: invalid.count)
        }
        if let control {
            report(
                ReaderDiagnostics.controlCharacter, Self.description(of: control.scalar),
                help: "remove it, or write it as an escape between double quotes", at: control.first,
                count: control.count)
        }
        diagnostics = diagnostics.sorted()
    }

    /// Whether everything is printable ASCII, and nothing looks like a directive, as in most files. Without a branch for
    /// each byte, many bytes are looked at at once.
    private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Bool {
        var exceptions: UInt8 = 0
        for offset in start..<bytes.count {
            let byte = bytes[offset]
            let isControl: UInt8 = (byte &- 0x20 >= 0x5F ? 1 : 0) & (byte != UInt8(ascii: "\n") ? 1 : 0)
            exceptions |= isControl | (byte == UInt8(ascii: "%") ? 1 : 0)
        }
        return exceptions == 0
    }

    /// The characters of YAML 1.2.2 section 5.1, without those that only YAML 1.1 takes for line breaks and without the
    /// byte order mark, which would stand unseen in a key.
    private static func isAllowed(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x09, 0x0A, 0x0D, 0x20...0x7E: true
        case 0x2028, 0x2029, 0xFEFF: false
        case 0xA0...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    private static func description(of scalar: UInt32) -> String {
        let name = "U+" + hexadecimal(scalar, digits: 4)
        return switch scalar {
        case 0: "the file contains a null byte"
        case 0xFEFF: "a byte order mark is not at the start of the file"
        case 0x85, 0x2028, 0x2029: "the character \(name) is a line break to some YAML readers and not to others"
        default: "the control character \(name) is not allowed in YAML"
        }
    }

    private static func hexadecimal(_ value: UInt32, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
