public import CarnetFoundation

/// The bytes of one descriptor, and its name in reports.
public struct SourceFile: Sendable {
    /// The path as the user gave it, or a name such as `<stdin>`.
    package let path: String
    private let content: Content
    /// The ids that the build wrote beside an embedded descriptor, so that nobody has to read it to know them.
    package let outline: Outline?

    private enum Content: Sendable {
        case bytes([UInt8])
        case embedded(StaticString)
    }

    package struct Outline: Sendable {
        package let id: ProviderID
        package let parentID: ProviderID?
    }

    package init(path: String, bytes: [UInt8]) {
        self.path = path
        content = .bytes(bytes)
        outline = nil
    }

    /// A descriptor that was linted and compiled into the program. A registry decodes it on demand.
    ///
    /// The build tool plug-in `CarnetProviders` generates the call.
    ///
    /// - Parameters:
    ///   - id: The `id` of the descriptor.
    ///   - parent: Its `extends`, if it has one.
    public init(path: String, embedded text: StaticString, id: ProviderID, extends parent: ProviderID? = nil) {
        self.path = path
        content = .embedded(text)
        outline = Outline(id: id, parentID: parent)
    }

    /// Whether it is compiled into the program.
    package var isEmbedded: Bool { outline != nil }

    package var bytes: [UInt8] {
        switch content {
        case .bytes(let bytes): bytes
        case .embedded(let text): text.withUTF8Buffer { Array($0) }
        }
    }
}

extension SourceFile: ComparedByBytes {
    package func isSameBytes(as other: SourceFile) -> Bool { path.isSameBytes(as: other.path) && bytes == other.bytes }

    package func hashBytes(into hasher: inout Hasher) {
        hasher.combine(ByteKey(path))
        hasher.combine(bytes)
    }
}

extension SourceFile {
    public init(path: String, text: String) {
        self.init(path: path, bytes: Array(text.utf8))
    }

    /// The text; bytes that are not UTF-8 are replaced.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The text of a file with a secret or a key, in which no byte may be replaced.
    ///
    /// - Throws: `SourceFileError` for another encoding.
    package func exactText() throws(SourceFileError) -> String {
        guard let text = String(written: bytes) else { throw SourceFileError(path: path, reason: .notUTF8) }
        return text
    }
}
