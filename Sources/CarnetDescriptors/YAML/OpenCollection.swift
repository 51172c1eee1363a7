/// A list or mapping whose end has not been read yet.
struct OpenCollection {
    let isMapping: Bool
    var isFlow: Bool
    /// What a list holds so far.
    var elements: [YAMLNode] = []
    /// What a mapping holds so far.
    var mapping = OpenMapping()
    var start: SourcePosition
    /// The end of the last thing in it.
    var end: SourcePosition
    var anchor: Int?
    /// How many nodes it is so far, itself included, aliases expanded.
    var nodes = 1
    /// How many levels of lists and mappings there are, itself included.
    var height = 1

    /// Takes a finished node: an element, a key, or the value of the last key.
    mutating func take(_ node: YAMLNode, nodes: Int, height: Int) -> OpenMapping.KeyProblem? {
        end = max(end, node.span.end)
        self.nodes += nodes
        self.height = max(self.height, height + 1)
        guard isMapping else {
            elements.append(node)
            return nil
        }
        guard mapping.awaitsValue else { return mapping.takeKey(node) }
        mapping.takeValue(node)
        return nil
    }
}

/// The entries of a mapping so far, and the key that waits for its value.
struct OpenMapping {
    enum KeyProblem {
        case notScalar
        case missing
        case merge
        case duplicate(name: String, first: SourceSpan)
    }

    private(set) var entries: [YAMLEntry] = []
    private var pending: Pending?
    /// Where each name is among the entries; made once a mapping is too long to look through.
    private var indices: [String: Int] = [:]

    private enum Pending {
        case key(String, SourceSpan)
        /// A key that was refused, and whose value is read for its own problems only.
        case refused(SourceSpan)
    }

    init() {}

    var awaitsValue: Bool { pending != nil }

    var pendingKeySpan: SourceSpan? {
        switch pending {
        case .key(_, let span), .refused(let span): span
        case nil: nil
        }
    }

    mutating func takeKey(_ node: YAMLNode) -> KeyProblem? {
        pending = .refused(node.span)
        guard case .scalar(let scalar) = node.content else { return .notScalar }
        if scalar.isPlain, scalar.text.isEmpty { return .missing }
        if scalar.isPlain, scalar.text == "<<" { return .merge }
        if let first = span(ofKey: scalar.text) { return .duplicate(name: scalar.text, first: first) }
        pending = .key(scalar.text, node.span)
        return nil
    }

    mutating func takeValue(_ node: YAMLNode) {
        if case .key(let name, let span) = pending {
            if entries.isEmpty { entries.reserveCapacity(4) }
            entries.append(YAMLEntry(key: name, keySpan: span, value: node))
            if entries.count > Self.longestSearch { noteIndices() }
        }
        pending = nil
    }

    /// Leaves out a key or a value that has none.
    mutating func skip(_ span: SourceSpan) {
        pending = pending == nil ? .refused(span) : nil
    }

    private static let longestSearch = 16

    private func span(ofKey name: String) -> SourceSpan? {
        let index =
            entries.count <= Self.longestSearch
            ? entries.index(of: name) : indices[name]
        return index.map { entries[$0].keySpan }
    }

    private mutating func noteIndices() {
        for index in indices.count..<entries.count { indices[entries[index].key] = index }
    }
}
