import CarnetFoundation

/// One descriptor file: its text, its tree with places, and the descriptor if nothing is wrong with its shape.
///
/// A file that extends another has no descriptor until a registry, which knows the other, has completed it.
package struct DescriptorDocument: Sendable {
    package let file: SourceFile
    /// What the file says, with what it inherits once it is completed. Its spans are places of `sources`.
    package private(set) var root: YAMLNode?
    /// The tree as the file itself says it.
    package private(set) var ownRoot: YAMLNode?
    package private(set) var comments: [YAMLComment]
    /// The keys that could be decoded, without those that have errors.
    package private(set) var decoded: ProviderDescriptor?
    package private(set) var diagnostics: [Diagnostic]
    /// The files that the descriptor is made of, its own first.
    package private(set) var sources: SourceChain
    /// At most one: a value cannot hold another of its kind directly.
    private var parents: [DescriptorDocument] = []

    package init(_ file: SourceFile, reader: YAMLReader = YAMLReader()) {
        self.init(file, read: reader.read(file))
    }

    /// - Parameter document: what a reader made of the file.
    package init(_ file: SourceFile, read document: YAMLDocument) {
        self.file = file
        root = document.root
        ownRoot = document.root
        comments = document.comments
        sources = SourceChain(file)
        diagnostics = document.diagnostics
        if let root {
            let found = decode(root) { decoder in
                if root.parentID == nil { return ProviderDescriptor(root, &decoder) }
                DescriptorRules.check(extending: root, &decoder)
                return nil
            }
            diagnostics += found
        }
        diagnostics = diagnostics.sorted()
    }

    /// Reads the keys of a tree.
    ///
    /// - Returns: What is wrong with them.
    private mutating func decode(
        _ root: YAMLNode, _ read: (inout DescriptorDecoder) -> ProviderDescriptor?
    ) -> [Diagnostic] {
        var decoder = DescriptorDecoder(file: file.path)
        decoder.everywhere = { DescriptorRules.paths(to: $0) }
        decoded = read(&decoder)
        return decoder.diagnostics.namingPlaces(in: root, DescriptorRules.keys.map(\.description))
    }

    /// A document with what it inherits from a parent that is complete itself.
    init(_ own: DescriptorDocument, extending parent: DescriptorDocument) {
        self = own
        let sources = SourceChain(own.file, before: parent.sources)
        guard let ownRoot = own.root, let parentRoot = parent.root?.moved(byLines: sources.parentOffset) else { return }
        let merged = ownRoot.extending(parentRoot.withoutEntries(DescriptorRules.ownKeys))
        // A place that does not exist is shown at the beginning of the file.
        let entries = merged.entries ?? []
        let ordered =
            entries.filter { $0.keySpan.start.line <= sources.parentOffset }
            + entries.filter { $0.keySpan.start.line > sources.parentOffset }
        let root = YAMLNode(.mapping(ordered), span: merged.span)
        (self.root, self.ownRoot, self.sources) = (root, ownRoot, sources)
        parents = [parent]
        let found = decode(root) { ProviderDescriptor(root, &$0) }
        diagnostics = (diagnostics + found.map(placed)).sorted()
    }

    private var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

    /// Whether the file has no error of syntax or shape.
    package var isWhole: Bool { decoded != nil && !hasErrors }

    /// `nil` if the file has an error of syntax or shape.
    package var descriptor: ProviderDescriptor? { isWhole ? decoded : nil }

    /// The id as written, also in a file with errors, so that it can be named.
    package var id: ProviderID? {
        guard let text = root?.entry("id")?.value.scalar?.text, ProviderID.isValid(text) else { return nil }
        return ProviderID(rawValue: text)
    }

    /// The id of what the file extends, as written.
    package var parentID: ProviderID? { root?.parentID }

    /// What it inherits from, completed itself; `nil` if it extends nothing or is not completed.
    package var parent: DescriptorDocument? { parents.first }

    /// The ids of those that it extends, the nearest first.
    package var ancestors: [ProviderID] {
        parent.map { parent in (parent.id.map { [$0] } ?? []) + parent.ancestors } ?? []
    }

    /// What can be inherited, with places of `sources`.
    package var inheritedRoot: YAMLNode? {
        parent?.root?.withoutEntries(DescriptorRules.ownKeys).moved(byLines: sources.parentOffset)
    }

    /// The same file for each of its environments.
    package var variants: [DescriptorDocument] {
        guard let root, let descriptor, descriptor.environment == nil else { return [] }
        return descriptor.environments.items.compactMap { environment in
            guard let variant = try? descriptor.variant(environment.name) else { return nil }
            var document = self
            document.root = ProviderDescriptor.variantTree(environment.value.tree, of: root)
            document.ownRoot = environment.value.tree
            document.decoded = variant
            (document.comments, document.diagnostics, document.parents) = ([], [], [])
            return document
        }
    }

    /// Whether nothing is wrong with what is known of the file.
    package var isSound: Bool { root != nil && !hasErrors }

    /// The place of the value at a path of keys; of the longest part of the path that exists, otherwise.
    package func span(of path: [String]) -> SourceSpan {
        for length in stride(from: path.count, through: 1, by: -1) {
            if let node = root?.node(at: Array(path[..<length])) { return node.span }
        }
        return root?.entries?.first?.keySpan ?? .fileStart
    }

    func adding(_ diagnostics: [Diagnostic]) -> DescriptorDocument {
        var document = self
        document.diagnostics = (self.diagnostics + diagnostics).sorted()
        return document
    }
}

extension YAMLNode {
    fileprivate var parentID: ProviderID? {
        guard let scalar = entry("extends")?.value.scalar, !scalar.isNull, ProviderID.isValid(scalar.text) else {
            return nil
        }
        return ProviderID(rawValue: scalar.text)
    }
}
