import CarnetProtocol

/// The path of this site that a browser is sent to after a sign-in. It cannot lead to another site.
///
/// Browsers read `\` as `/` and drop tabs and line breaks, so `/\evil.example` would leave the site. A string that is
/// not plainly a local path is rejected.
package struct ReturnTarget: Hashable, Sendable, Codable {
    package static let home = ReturnTarget(checked: "/")
    private static let lengthLimit = 1024

    /// The path, with its query.
    package let path: String

    private init(checked: String) {
        path = checked
    }

    /// - Returns: `nil` if it is not a local path.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "/"), bytes.count <= Self.lengthLimit,
            bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return nil }
        let beforeQuery = String(decoding: bytes.prefix { $0 != 0x3F && $0 != 0x23 }, as: UTF8.self)
        // Servers and proxies decode paths, some of them twice.
        var forms = [beforeQuery]
        for _ in 0..<2 {
            guard let last = forms.last, let decoded = PercentEncoding.decode(last) else { return nil }
            forms.append(decoded)
        }
        for form in forms {
            let isPlain = form.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F && $0 != "\\" }
            // By bytes: a slash with a combining mark behind it is another character, and still a slash.
            let segments = form.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
            let hasEmpty = segments.dropLast().contains { $0.isEmpty }
            let isRelative = segments.contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
            guard isPlain, !hasEmpty, !isRelative else { return nil }
        }
        path = text
    }

    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let target = ReturnTarget(text) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "not a local path"))
        }
        self = target
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(path)
    }
}
