/// What one file says, as far as it is YAML, and everything that is wrong with it as YAML.
package struct YAMLDocument: Sendable {
    /// `nil` if the file is empty or not YAML; then `diagnostics` says why.
    package var root: YAMLNode?
    /// In the order of the text.
    package var comments: [YAMLComment] = []
    package var diagnostics: [Diagnostic] = []
}

/// One comment.
package struct YAMLComment: Hashable, Sendable {
    /// The text after `#`, without the space around it.
    package var text: String
    /// From `#` to the end of the line.
    package var span: SourceSpan
}
