import CarnetDescriptors

/// A value of a gateway file.
protocol GatewayValue: Sendable {
    static var shape: Shape { get }
    /// Reads the value; `nil` when a diagnostic was reported.
    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder)
}

/// A mapping of a gateway file. Its table of keys is its decoder, schema and documentation, as for descriptors.
protocol GatewaySection: GatewayValue {
    init(at node: YAMLNode)
    static var keys: [Key<Self>] { get }
    /// The key that a bare string stands for, e.g. a provider's id.
    static var shorthand: String? { get }
    /// What to write for a name that people write here, but that is none of the keys.
    static func elsewhere(_ name: String) -> String?
}

extension GatewaySection {
    static var shorthand: String? { nil }
    static func elsewhere(_ name: String) -> String? { nil }

    static var shape: Shape { keys.shape(of: Self.self, shorthand: shorthand) }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        self.init(at: node)
        guard Self.keys.read(node, into: &self, &decoder, shorthand: Self.shorthand, elsewhere: Self.elsewhere) else {
            return nil
        }
    }
}

extension Key where Section: GatewaySection {
    init<Value: GatewayValue>(
        _ name: String, _ path: any WritableKeyPath<Section, Value> & Sendable, isRequired: Bool = false,
        _ summary: String
    ) {
        self.init(name, Value.shape, summary, isRequired: isRequired) { node, section, decoder in
            if let value = Value(node, &decoder) { section[keyPath: path] = value }
        }
    }

    init<Value: GatewayValue>(
        _ name: String, _ path: any WritableKeyPath<Section, Value?> & Sendable, _ summary: String
    ) {
        self.init(name, Value.shape, summary) { node, section, decoder in
            section[keyPath: path] = Value(node, &decoder)
        }
    }

    /// A string of a kind.
    init<Value>(
        _ name: String, text kind: TextKind<Value>, _ path: any WritableKeyPath<Section, Value> & Sendable,
        isRequired: Bool = false, _ summary: String
    ) {
        self.init(name, kind.shape, summary, isRequired: isRequired) { node, section, decoder in
            if let value = kind.read(node, &decoder) { section[keyPath: path] = value }
        }
    }

    init<Value>(
        _ name: String, text kind: TextKind<Value>, _ path: any WritableKeyPath<Section, Value?> & Sendable,
        _ summary: String
    ) {
        self.init(name, kind.shape, summary) { node, section, decoder in
            section[keyPath: path] = kind.read(node, &decoder)
        }
    }

    /// One string of a kind, or a list of them. An empty list would be no condition at all.
    init<Value>(
        _ name: String, oneOrMore kind: TextKind<Value>, _ path: any WritableKeyPath<Section, [Value]> & Sendable,
        isRequired: Bool = false, _ summary: String
    ) {
        self.init(name, .either([kind.shape, .list(of: kind.shape)]), summary, isRequired: isRequired) {
            node, section, decoder in
            section[keyPath: path] = kind.readAll(node, &decoder)
        }
    }

    /// A whole number.
    init(
        _ name: String, within range: ClosedRange<Int>, _ path: any WritableKeyPath<Section, Int> & Sendable,
        isRequired: Bool = false, _ summary: String
    ) {
        self.init(name, .integer(range), summary, isRequired: isRequired) { node, section, decoder in
            guard let value = node.scalar?.integer, range.contains(value) else {
                decoder.reportWrongType(node, expected: .integer(range))
                return
            }
            section[keyPath: path] = value
        }
    }
}

extension YAMLNode {
    /// Where a key is; the whole without it.
    func keySpan(_ key: String) -> SourceSpan { entry(key)?.keySpan ?? span }

    /// Where the value of a key is; the whole without it.
    func span(of key: String) -> SourceSpan { entry(key)?.value.span ?? span }

    func line(of key: String) -> Int { keySpan(key).start.line }

    /// Of the first key: a mapping between braces may begin with a comment.
    var firstLine: Int { (entries?.first?.keySpan ?? span).start.line }

    /// The values of a key that takes one or more, with their places.
    func values(of key: String) -> [YAMLNode] { entry(key).map { $0.value.elements ?? [$0.value] } ?? [] }
}

// MARK: - Values

extension Bool: GatewayValue {
    static var shape: Shape { .boolean }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let value = node.scalar?.boolean else {
            decoder.reportWrongType(node, expected: .boolean)
            return nil
        }
        self = value
    }
}

/// A list with at least one element.
extension Array: GatewayValue where Element: GatewayValue {
    static var shape: Shape { .list(of: Element.shape) }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let elements = node.elements else {
            decoder.reportWrongType(node, expected: Self.shape)
            return nil
        }
        if elements.isEmpty { decoder.report(.emptyValue, "the list is empty", at: node.span) }
        self = elements.compactMap { Element($0, &decoder) }
    }
}

extension ClaimRequirement: GatewayValue {}
extension BrandColor: GatewayValue {}

/// Author-defined names.
extension NamedList: GatewayValue where Value: GatewayValue {
    static var shape: Shape { .map(of: Value.shape) }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let entries = node.entries else {
            decoder.reportWrongType(node, expected: Self.shape)
            return nil
        }
        if entries.isEmpty { decoder.report(.emptyValue, "the mapping is empty", at: node.span) }
        self.init(entries.compactMap { entry in Value(entry.value, &decoder).map { Named(entry.key, $0) } })
    }
}
