/// Where a value of a descriptor is written: a place in the tree that is found by the names of the model.
///
/// `places.refresh.margin.span` is checked by the compiler, where a path of keys in quotes is not.
@dynamicMemberLookup
package struct Place<Value>: Sendable {
    /// The value in the file; `nil` if the file has none here.
    package let node: YAMLNode?
    /// Where that is; what is nearest to where it would be, otherwise.
    package let span: SourceSpan
    /// Where the key of it is; the same as `span` for what has no key.
    package let keySpan: SourceSpan

    private init(_ node: YAMLNode?, at span: SourceSpan, key: SourceSpan) {
        self.node = node
        self.span = span
        keySpan = key
    }

    private init(_ entry: YAMLEntry) { self.init(entry.value, at: entry.value.span, key: entry.keySpan) }

    private init(element: YAMLNode) { self.init(element, at: element.span, key: element.span) }

    private func missing<Member>() -> Place<Member> { Place<Member>(nil, at: span, key: span) }

    package var isWritten: Bool { node != nil }
    /// The text of a scalar.
    package var text: String? { node?.scalar?.text }
    package var entries: [YAMLEntry] { node?.entries ?? [] }
    package var elements: [YAMLNode] { node?.elements ?? [] }

    private func entry<Member>(_ name: String) -> Place<Member> {
        node?.entry(name).map { Place<Member>($0) } ?? missing()
    }
}

extension Place where Value == ProviderDescriptor {
    /// The places of a whole tree. What is not there is shown at the beginning of it.
    package init(_ root: YAMLNode) {
        let start = root.entries?.first?.keySpan ?? .fileStart
        self.init(root, at: start, key: start)
    }
}

extension Place where Value == RequestRules {
    /// The section of a grant, which has its request's keys in the same mapping.
    package var grant: Place<GrantRules> { Place<GrantRules>(node, at: span, key: keySpan) }
}

// MARK: - Members, elements and named values

extension Place where Value: PlacedSection {
    package subscript<Member>(dynamicMember path: KeyPath<Value, Member>) -> Place<Member> { member(Slot(path)) }

    package subscript<Member>(dynamicMember path: KeyPath<Value, Member?>) -> Place<Member> { member(Slot(path)) }

    private func member<Member>(_ slot: Slot?) -> Place<Member> {
        guard let node else { return missing() }
        switch slot.flatMap({ Value.find($0, in: node) }) {
        case .entry(let entry)?: return Place<Member>(entry)
        case .itself?: return Place<Member>(node, at: span, key: keySpan)
        case .missing?: return missing()
        case nil:
            assertionFailure("\(Value.self) has no key for this property")
            return missing()
        }
    }

    /// The entries of a mapping whose keys are the section's own, rather than those of one that it shares a mapping with.
    package var ownEntries: [YAMLEntry] { entries.filter { Value.keyNames.contains($0.key) } }
}

extension Place where Value: RandomAccessCollection {
    package var all: [Place<Value.Element>] { elements.map { Place<Value.Element>(element: $0) } }

    package subscript(index: Int) -> Place<Value.Element> {
        elements.indices.contains(index) ? Place<Value.Element>(element: elements[index]) : missing()
    }
}

extension Place {
    package subscript<Item>(name: String) -> Place<Item> where Value == NamedList<Item> { entry(name) }

    package func named<Item>() -> [Named<Place<Item>>] where Value == NamedList<Item> {
        entries.map { Named($0.key, Place<Item>($0)) }
    }
}

extension Place where Value == NamedEndpoints {
    package subscript(name: EndpointName) -> Place<Template> { entry(name.rawValue) }
}

extension Place where Value == MTLSEndpoints {
    package subscript(name: EndpointName) -> Place<Template> { entry(name.rawValue) }
}

// MARK: - Sections

/// A section as other modules see it: what finds the places of its values.
package protocol PlacedSection: Sendable {
    static func find(_ slot: Slot, in node: YAMLNode) -> FoundKey?
    static var keyNames: [String] { get }
    static var shape: Shape { get }
}

/// How a property of a section is written.
package enum FoundKey {
    case entry(YAMLEntry)
    /// The section's own value: its short form, or the mapping that it shares.
    case itself
    case missing
}

extension DescriptorSection {
    /// - Returns: `nil` if no key is about the property.
    package static func find(_ slot: Slot, in node: YAMLNode) -> FoundKey? {
        let keys = keys
        // By index, so that no key is copied.
        guard let index = keys.indices.first(where: { keys[$0].slot == slot }) else {
            return keys.indices.contains { keys[$0].groups.contains(slot) } ? .itself : nil
        }
        let name = keys[index].description.name
        guard node.entries != nil else { return name == shorthand ? .itself : .missing }
        return node.entry(name).map { .entry($0) } ?? .missing
    }

    package static var keyNames: [String] { keys.map(\.description.name) }
}
