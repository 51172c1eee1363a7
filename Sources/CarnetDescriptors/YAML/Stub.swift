public struct YAMLDocument: Sendable { public var root: YAMLNode?; public var diagnostics: [Diagnostic] }
public struct YAMLReader {
    public init() {}; public func read(_ file: SourceFile) -> YAMLDocument { YAMLDocument(root: nil, diagnostics: []) }
}
public struct SourceFileError: Error { public var path: String; public var reason: String }
extension SourceFile {
    public init(readingFrom path: String) throws(SourceFileError) { throw SourceFileError(path: path, reason: "") }
}
