/// What one file says, as far as it is YAML, and everything that is wrong with it as YAML.
public struct YAMLDocument: Sendable {
    /// `nil` if the file is empty or not YAML; then `diagnostics` says why.
    public var root: YAMLNode?
    /// In the order of the text.
    public var comments: [YAMLComment]
    public var diagnostics: [Diagnostic]

    public init(root: YAMLNode?, comments: [YAMLComment] = [], diagnostics: [Diagnostic] = []) {
        self.root = root
        self.comments = comments
        self.diagnostics = diagnostics
    }
}

/// One comment.
public struct YAMLComment: Hashable, Sendable {
    /// The text after `#`, without the space around it.
    public var text: String
    /// From `#` to the end of the line.
    public var span: SourceSpan

    public init(text: String, span: SourceSpan) {
        self.text = text
        self.span = span
    }
}
