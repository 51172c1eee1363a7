package import CarnetDescriptors

/// Files that are neither descriptors nor resource maps, but are read, checked and fixed like them.
package protocol OtherFiles: Sendable {
    /// The codes of rules that a comment with a reason may silence.
    var suppressibleCodes: [String] { get }
    /// Whether a tree is meant to be such a file.
    func fits(_ root: YAMLNode) -> Bool
    /// What makes the file unusable, and what its rules find besides; the rules are not asked about an unusable file.
    func check(_ file: SourceFile, reader: YAMLReader) -> (mistakes: [Diagnostic], findings: [Diagnostic])
}
