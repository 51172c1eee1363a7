/// The bytes of one descriptor and the name to report it by.
public struct SourceFile: Hashable, Sendable {
    /// The path as the user gave it, or a name such as `<stdin>`.
    public let path: String
    public let bytes: [UInt8]

    public init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }
}

extension SourceFile {
    public init(path: String, text: String) {
        self.init(path: path, bytes: Array(text.utf8))
    }

    /// The text; bytes that are not UTF-8 are replaced.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}
