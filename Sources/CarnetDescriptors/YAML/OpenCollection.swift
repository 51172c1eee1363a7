/// A list or mapping whose end has not been read yet.
struct OpenCollection {
    enum KeyProblem {
        case notScalar
        case missing
        case merge
        case duplicate(name: String, first: SourceSpan)
    }

    private enum PendingKey {
        case none
        /// The last entry, which has no value yet.
        case key(SourceSpan)
        /// A key that was refused, and whose value is read for its own problems only.
        case refused(SourceSpan)
    }

    let isMapping: Bool
    let isFlow: Bool
    let start: SourcePosition
    /// The end of the last thing in it.
    var end: SourcePosition
    let anchor: Int?
    /// How many nodes it is so far, itself included, aliases expanded.
    private(set) var nodes = 1
    /// How many levels of lists and mappings there are, itself included.
    private(set) var height = 1
    /// What a list holds so far.
    private var elements: [YAMLNode] = []
    /// What a mapping holds so far.
    private var entries: [YAMLEntry] = []
    private var pendingKey = PendingKey.none
    /// Where each name is among the entries; made once a mapping is too long to look through.
    private var indices: [String: Int] = [:]

    init(isMapping: Bool, isFlow: Bool, start: SourcePosition, anchor: Int?) {
        (self.isMapping, self.isFlow, self.start) = (isMapping, isFlow, start)
        end = start
        self.anchor = anchor
        if isMapping { entries.reserveCapacity(4) } else { elements.reserveCapacity(4) }
    }

    var pendingKeySpan: SourceSpan? {
        switch pendingKey {
        case .key(let span), .refused(let span): span
        case .none: nil
        }
    }

    /// Whether the next node is a key.
    var awaitsKey: Bool {
        if case .none = pendingKey { isMapping } else { false }
    }

    /// Counts what a finished node adds.
    mutating func count(_ nodes: Int, height: Int, end: SourcePosition) {
        self.end = max(self.end, end)
        self.nodes += nodes
        self.height = max(self.height, height + 1)
    }

    /// Takes a finished element, or the value of the last key.
    mutating func take(_ node: consuming YAMLNode) {
        switch pendingKey {
        case .none: elements.append(node)
        case .key: entries[entries.count - 1].value = node
        case .refused: break
        }
        pendingKey = .none
    }

    /// Takes a key, whose value comes next.
    ///
    /// - Parameter scalar: `nil` for a list or a mapping.
    mutating func takeKey(_ scalar: YAMLScalar?, _ span: SourceSpan) -> KeyProblem? {
        pendingKey = .refused(span)
        guard let scalar else { return .notScalar }
        if scalar.isPlain, scalar.text.isEmpty { return .missing }
        if scalar.isPlain, scalar.text == "<<" { return .merge }
        if let first = index(of: scalar.text) {
            return .duplicate(name: scalar.text, first: entries[first].keySpan)
        }
        pendingKey = .key(span)
        entries.append(YAMLEntry(key: scalar.text, keySpan: span, value: YAMLNode(.sequence([]), span: span)))
        return nil
    }

    /// Leaves out a key, a value or an element that there is none of.
    mutating func skip(_ span: SourceSpan) {
        end = max(end, span.end)
        guard isMapping else { return }
        switch pendingKey {
        case .none: pendingKey = .refused(span)
        case .key:
            entries.removeLast()
            pendingKey = .none
        case .refused: pendingKey = .none
        }
    }

    private static let longestSearch = 16

    private mutating func index(of name: String) -> Int? {
        guard entries.count > Self.longestSearch else { return entries.index(of: name) }
        for index in indices.count..<entries.count { indices[entries[index].key] = index }
        return indices[name]
    }

    consuming func finished(end: SourcePosition) -> YAMLNode {
        YAMLNode(isMapping ? .mapping(entries) : .sequence(elements), span: SourceSpan(start: start, end: end))
    }
}
