import CarnetFoundation

/// One descriptor file: its text, its tree with places, and the descriptor if nothing is wrong with its shape.
///
/// A file that extends another has no descriptor until a registry, which knows the other, has completed it.
package struct DescriptorDocument: Sendable {
    package let file: SourceFile
    /// What the file says, with what it inherits once it is completed. Its spans are places of `sources`.
    package let root: YAMLNode?
    /// The tree as the file itself says it.
    package let ownRoot: YAMLNode?
    package let comments: [YAMLComment]
    /// The keys that could be decoded, without those that have errors.
    package let decoded: ProviderDescriptor?
    /// Whether the file has no error of syntax or shape.
    package let isWhole: Bool
    package let diagnostics: [Diagnostic]
    /// The files that the descriptor is made of, its own first.
    package let sources: SourceChain
    /// At most one: a value cannot hold another of its kind directly.
    private let parents: [DescriptorDocument]

    package init(_ file: SourceFile, reader: YAMLReader = YAMLReader()) {
        self.init(file, read: reader.read(file))
    }

    /// - Parameter document: what a reader made of the file.
    package init(_ file: SourceFile, read document: YAMLDocument) {
        var decoder = DescriptorDecoder(file: file.path)
        decoder.everywhere = { DescriptorRules.paths(to: $0) }
        var decoded: ProviderDescriptor?
        var found: [Diagnostic] = []
        if let root = document.root {
            if root.parentID == nil {
                decoded = ProviderDescriptor(root, &decoder)
            } else {
                DescriptorRules.check(extending: root, &decoder)
            }
            found = decoder.diagnostics.namingPlaces(in: root, DescriptorRules.keys.map(\.description))
        }
        self.init(
            file: file,
            root: document.root,
            ownRoot: document.root,
            comments: document.comments,
            decoded: decoded,
            diagnostics: document.diagnostics + found,
            sources: SourceChain(file)
        )
    }

    /// A document with what it inherits from a parent that is complete itself.
    init(_ own: DescriptorDocument, extending parent: DescriptorDocument) {
        let sources = SourceChain(own.file, before: parent.sources)
        guard let ownRoot = own.root, let parentRoot = parent.root?.moved(byLines: sources.parentOffset) else {
            self = own
            return
        }
        let merged = ownRoot.extending(parentRoot.withoutEntries(DescriptorRules.ownKeys))
        // A place that does not exist is shown at the beginning of the file.
        let entries = merged.entries ?? []
        let ordered =
            entries.filter { $0.keySpan.start.line <= sources.parentOffset }
            + entries.filter { $0.keySpan.start.line > sources.parentOffset }
        let root = YAMLNode(.mapping(ordered), span: merged.span)
        var decoder = DescriptorDecoder(file: own.file.path)
        decoder.everywhere = { DescriptorRules.paths(to: $0) }
        let decoded = ProviderDescriptor(root, &decoder)
        let completed = DescriptorDocument(
            file: own.file,
            root: root,
            ownRoot: ownRoot,
            comments: own.comments,
            decoded: decoded,
            diagnostics: own.diagnostics,
            sources: sources,
            parents: [parent]
        )
        let found = decoder.diagnostics.namingPlaces(in: root, DescriptorRules.keys.map(\.description))
        self = completed.adding(found.map(completed.placed))
    }

    private init(
        file: SourceFile,
        root: YAMLNode?,
        ownRoot: YAMLNode?,
        comments: [YAMLComment],
        decoded: ProviderDescriptor?,
        diagnostics: [Diagnostic],
        sources: SourceChain,
        parents: [DescriptorDocument] = []
    ) {
        self.file = file
        self.root = root
        self.ownRoot = ownRoot
        self.comments = comments
        self.diagnostics = diagnostics.sorted()
        isWhole = decoded != nil && !diagnostics.contains { $0.severity == .error }
        self.sources = sources
        self.parents = parents
        self.decoded = decoded
    }
}

extension DescriptorDocument {
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
            return DescriptorDocument(
                file: file,
                root: ProviderDescriptor.variantTree(environment.value.tree, of: root),
                ownRoot: environment.value.tree,
                comments: [],
                decoded: variant,
                diagnostics: [],
                sources: sources
            )
        }
    }

    /// Whether nothing is wrong with what is known of the file.
    package var isSound: Bool { root != nil && !diagnostics.contains { $0.severity == .error } }

    /// The place of the value at a path of keys; of the longest part of the path that exists, otherwise.
    package func span(of path: [String]) -> SourceSpan {
        for length in stride(from: path.count, through: 1, by: -1) {
            if let node = root?.node(at: Array(path[..<length])) { return node.span }
        }
        return root?.entries?.first?.keySpan ?? .fileStart
    }

    func adding(_ diagnostics: Diagnostic...) -> DescriptorDocument { adding(diagnostics) }

    private func adding(_ diagnostics: [Diagnostic]) -> DescriptorDocument {
        guard !diagnostics.isEmpty else { return self }
        return DescriptorDocument(
            file: file,
            root: root,
            ownRoot: ownRoot,
            comments: comments,
            decoded: decoded,
            diagnostics: self.diagnostics + diagnostics,
            sources: sources,
            parents: parents
        )
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
