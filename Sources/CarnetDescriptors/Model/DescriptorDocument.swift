/// One descriptor file: its text, its tree with places, and the descriptor if nothing is wrong with its shape.
public struct DescriptorDocument: Sendable {
    public let file: SourceFile
    public let root: YAMLNode?
    public let comments: [YAMLComment]
    /// `nil` if the file has an error of syntax or shape.
    public let descriptor: ProviderDescriptor?
    public let diagnostics: [Diagnostic]

    public init(_ file: SourceFile, reader: YAMLReader = YAMLReader()) {
        self.init(file, read: reader.read(file))
    }

    /// - Parameter document: what a reader made of the file.
    public init(_ file: SourceFile, read document: YAMLDocument) {
        var decoder = DescriptorDecoder(file: file.path)
        let descriptor = document.root.flatMap { ProviderDescriptor($0, &decoder) }
        self.file = file
        root = document.root
        comments = document.comments
        diagnostics = (document.diagnostics + decoder.diagnostics).sorted()
        self.descriptor = diagnostics.contains { $0.severity == .error } ? nil : descriptor
    }

    /// The id as written, also in a file with errors, so that it can be named.
    public var id: ProviderID? {
        guard let text = root?.entry("id")?.value.scalar?.text, ProviderID.isValid(text) else { return nil }
        return ProviderID(rawValue: text)
    }

    /// The place of the value at a path of keys; of the longest part of the path that exists, otherwise.
    public func span(of path: [String]) -> SourceSpan {
        for length in stride(from: path.count, through: 1, by: -1) {
            if let node = root?.node(at: Array(path[..<length])) { return node.span }
        }
        return root?.entries?.first?.keySpan ?? .fileStart
    }
}
