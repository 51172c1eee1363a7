import CarnetProtocol

/// The path of this site that a browser is sent to after a sign-in. It cannot lead to another site.
///
/// Browsers read `\` as `/` and drop tabs and line breaks, so `/\evil.example` would leave the site, and so may a path whose
/// first segments a proxy decodes or removes. Behind a first segment that has a name, nothing leads to another host.
package struct ReturnTarget: Hashable, Sendable, Codable {
    package static let home = ReturnTarget(checked: "/")
    /// What a proxy accepts, in bytes.
    private static let lengthLimit = 16_384

    /// The path, with its query and fragment.
    package let path: String

    private init(checked: String) {
        path = checked
    }

    /// - Returns: `nil` if it is not a local path.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "/"), bytes.count <= Self.lengthLimit,
            bytes.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        var form = Array(bytes.prefix { $0 != 0x3F && $0 != 0x23 })
        // Behind the path, browsers leave it as it is.
        guard !form.contains(UInt8(ascii: "\\")) else { return nil }
        // Servers and proxies decode paths, some of them twice, and then remove dot segments.
        for _ in 0..<3 {
            guard Self.staysLocal(form) else { return nil }
            form = PercentEncoding.decodedBytes(form)
        }
        path = text
    }

    /// Whether no reader of a path finds a host in it: with dot segments removed, it begins with one slash.
    private static func staysLocal(_ path: [UInt8]) -> Bool {
        guard path.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return false }
        let bytes = path.filter { $0 != 0x20 }.map { $0 == UInt8(ascii: "\\") ? 0x2F : $0 }
        let segments = bytes.split(separator: 0x2F, omittingEmptySubsequences: false).dropFirst()
        let isRelative = segments.contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
        // Where segments are removed, an empty one may become the first.
        let hasEmpty = segments.dropLast().contains { $0.isEmpty }
        return segments.count <= 1 || !(segments.first?.isEmpty ?? true) && !(isRelative && hasEmpty)
    }

    /// The same page without the page that it would lead on to; otherwise the first page of the site.
    var short: ReturnTarget {
        let parts = path.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        let fields = PercentEncoding.decodeForm(parts.dropFirst().first ?? "") ?? []
        let kept = fields.filter { $0.name != "return_to" }
        guard kept.count < fields.count else { return .home }
        return ReturnTarget("\(parts[0])?\(PercentEncoding.encode(kept))") ?? .home
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
