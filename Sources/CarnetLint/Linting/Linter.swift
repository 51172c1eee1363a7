public import CarnetDescriptors

/// Proves descriptors right before anyone signs in with them.
public struct Linter: Sendable {
    private let rules: [any LintRule]
    private let reader: YAMLReader

    public init(rules: [any LintRule] = LintRules.all, reader: YAMLReader = YAMLReader()) {
        self.rules = rules
        self.reader = reader
    }

    /// Looks at each file by itself and then at all of them together. A broken file hides no finding in another.
    ///
    /// - Parameter unreadable: files that were asked for and could not be read; they become findings too.
    public func lint(files: [SourceFile], unreadable: [SourceFileError] = []) -> LintReport {
        var seen = Set<String>()
        let files = files.filter { seen.insert($0.path).inserted }
        var diagnostics: [Diagnostic] = []
        var documents: [DescriptorDocument] = []
        for file in files {
            let yaml = reader.read(file)
            if let root = yaml.root, ResourceMapShape.fits(root) {
                diagnostics += ResourceMapFile(file, reader: reader).diagnostics
                continue
            }
            let document = DescriptorDocument(file, read: yaml)
            documents.append(document)
            diagnostics += lint(document)
        }
        diagnostics += DuplicateProvider.check(documents)
        return LintReport(files: files, diagnostics: diagnostics, unreadable: unreadable)
    }

    private func lint(_ document: DescriptorDocument) -> [Diagnostic] {
        guard let context = LintContext(document) else { return document.diagnostics }
        let found = rules.flatMap { $0.check(context) }
        return document.diagnostics + Suppressions(document).filter(found)
    }
}

/// Tells a resource map of its own from a descriptor: a list of resources, or nothing but the key `resources`.
enum ResourceMapShape {
    static func fits(_ root: YAMLNode) -> Bool {
        root.elements != nil || root.entries?.map(\.key) == ["resources"]
    }
}
