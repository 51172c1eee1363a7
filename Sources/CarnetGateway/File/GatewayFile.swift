package import CarnetDescriptors
package import CarnetFoundation
import CarnetLint

/// A gateway file: everything that an operator writes. Reading never fails; a file with errors must not be used.
package struct GatewayFile: Sendable {
    package let path: String
    /// What is wrong with the file, sorted: reading, decoding, and what no decision can be made by.
    package let diagnostics: [Diagnostic]
    /// `nil` only if `diagnostics` has an error.
    package let rules: GatewayRules?
    /// The tree, for the rules of lint.
    let root: YAMLNode?

    package init(_ file: SourceFile, reader: YAMLReader = YAMLReader()) {
        let document = reader.read(file)
        var decoder = DescriptorDecoder(file: file.path)
        let content: GatewayRules?
        if let root = document.root, let key = root.entry("carnet"), !Self.fits(root) {
            decoder.report(
                .unknownKey, "this is the descriptor of a provider, not a gateway file", at: key.keySpan,
                help: "keep it in a folder of providers, and name its id at providers of the gateway file")
            content = nil
        } else {
            content = document.root.flatMap { GatewayRules($0, &decoder) }
        }
        var found = document.diagnostics.map(Self.aboutGatewayFile) + decoder.diagnostics
        if document.root == nil { found += Self.comments(in: file) }
        path = file.path
        root = document.root
        if let content, let root, !found.contains(where: { $0.severity == .error }) {
            let context = GatewayContext(path: file.path, root: root, rules: content, registry: nil)
            found += context.diagnostics(of: GatewayRuleCatalog.decisive)
        }
        diagnostics = found.sorted()
        rules = diagnostics.contains { $0.severity == .error } ? nil : content
    }

    /// The reader's finding about an empty file is about descriptors.
    private static func aboutGatewayFile(_ finding: Diagnostic) -> Diagnostic {
        guard finding.code == ReaderDiagnostics.emptyFile.code else { return finding }
        var finding = finding
        finding.help = "a gateway file starts with 'gateway: 1', 'origin', 'providers' and 'routes'"
        return finding
    }

    /// The colours that a comment hides: between braces, the closing one is in the comment too, so that nothing can be read.
    private static func comments(in file: SourceFile) -> [Diagnostic] {
        var decoder = DescriptorDecoder(file: file.path)
        let lines = file.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let text = String(decoding: line, as: UTF8.self)
            guard let range = text.firstRange(of: "color: #") else { continue }
            let column = text.utf8.distance(from: text.startIndex, to: range.lowerBound) + 1
            let span = SourceSpan(
                start: SourcePosition(line: index + 1, column: column),
                end: SourcePosition(line: index + 1, column: column + 5))
            GatewayPageRules.reportComment(at: span, &decoder)
        }
        return decoder.diagnostics
    }

    /// Whether a tree is meant to be a gateway file.
    package static func fits(_ root: YAMLNode) -> Bool { root.entry("gateway") != nil }

    /// The shape of the whole file, for its schema and its reference.
    package static var shape: Shape { GatewayRules.shape }

    /// The JSON Schema (draft 2020-12) of the whole file.
    package static var schema: JSONValue {
        DescriptorSchema.document(
            of: shape, title: "Carnet gateway file", "Who may send which requests to the programs behind a proxy.")
    }
}
