/// Where a value of a descriptor is written: a place in the tree that is found by the names of the model.
///
/// `places.refresh.margin.span` is checked by the compiler, where a path of keys in quotes is not.
@usableFromInline
@dynamicMemberLookup
package struct Place<Value>: Sendable {
    @usableFromInline let untyped: UntypedPlace

    @inlinable
    init(_ untyped: UntypedPlace) { self.untyped = untyped }

    // Inlined, because a call copies the place to look at a part of it.

    /// The value in the file; `nil` if the file has none here.
    @inlinable @inline(__always) package var node: YAMLNode? { untyped.node }
    /// Where that is; what is nearest to where it would be, otherwise.
    @inlinable @inline(__always) package var span: SourceSpan { untyped.span }
    /// Where the key of it is; the same as `span` for what has no key.
    @inlinable @inline(__always) package var keySpan: SourceSpan { untyped.keySpan }

    @inlinable @inline(__always) package var isWritten: Bool { untyped.node != nil }
    /// The text of a scalar.
    @inlinable @inline(__always) package var text: String? { untyped.text }
    @inlinable @inline(__always) package var entries: [YAMLEntry] { untyped.entries }
    @inlinable @inline(__always) package var elements: [YAMLNode] { untyped.elements }

    @inlinable @inline(__always)
    func entry<Member>(_ name: String) -> Place<Member> { Place<Member>(untyped.entry(name)) }
}

/// A place without the type of its value, for code that is the same for all types.
@usableFromInline
package struct UntypedPlace: Sendable {
    @usableFromInline let node: YAMLNode?
    @usableFromInline let span: SourceSpan
    @usableFromInline let keySpan: SourceSpan

    @inlinable @inline(__always) var text: String? { node?.scalar?.text }
    @inlinable @inline(__always) var entries: [YAMLEntry] { node?.entries ?? [] }
    @inlinable @inline(__always) var elements: [YAMLNode] { node?.elements ?? [] }

    fileprivate init(_ node: YAMLNode?, at span: SourceSpan, key: SourceSpan) {
        self.node = node
        self.span = span
        keySpan = key
    }

    @usableFromInline
    init(_ element: YAMLNode) { self.init(element, at: element.span, key: element.span) }

    @usableFromInline
    init(_ entry: YAMLEntry) { self.init(entry.value, at: entry.value.span, key: entry.keySpan) }

    var missing: UntypedPlace { UntypedPlace(nil, at: span, key: span) }

    @usableFromInline
    func entry(_ name: String) -> UntypedPlace {
        guard case .mapping(let entries)? = node?.content, let index = entries.index(of: name) else { return missing }
        return UntypedPlace(entries[index].value, at: entries[index].value.span, key: entries[index].keySpan)
    }

    @usableFromInline
    func element(_ index: Int) -> UntypedPlace {
        guard let elements = node?.elements, elements.indices.contains(index) else { return missing }
        return UntypedPlace(elements[index])
    }
}

extension Place where Value == DescriptorRules {
    /// The places of a whole tree. What is not there is shown at the beginning of it.
    package init(_ root: YAMLNode) {
        let start = root.entries?.first?.keySpan ?? .fileStart
        self.init(UntypedPlace(root, at: start, key: start))
    }
}

extension Place where Value == RequestRules {
    /// The section of a grant, which has its request's keys in the same mapping.
    package var grant: Place<GrantRules> { Place<GrantRules>(untyped) }
}

// MARK: - Members, elements and named values

extension Place where Value: PlacedSection {
    // Inlined, so that the compiler makes a constant of each key path. An object of it would be shared by all threads,
    // which would wait for each other to count its references.
    @inlinable @inline(__always)
    package subscript<Member>(dynamicMember path: KeyPath<Value, Member>) -> Place<Member> {
        Place<Member>(found(Slot(path)))
    }

    @inlinable @inline(__always)
    package subscript<Member>(dynamicMember path: KeyPath<Value, Member?>) -> Place<Member> {
        Place<Member>(found(Slot(path)))
    }

    @usableFromInline
    func found(_ slot: Slot?) -> UntypedPlace { Value.find(slot, in: untyped) }

    /// The entries of a mapping whose keys are the section's own, rather than those of one that it shares a mapping with.
    package var ownEntries: [YAMLEntry] { entries.filter { Value.keyNames.contains($0.key) } }
}

extension Place where Value: RandomAccessCollection {
    @inlinable package var all: [Place<Value.Element>] {
        elements.map { Place<Value.Element>(UntypedPlace($0)) }
    }

    @inlinable package subscript(index: Int) -> Place<Value.Element> {
        Place<Value.Element>(untyped.element(index))
    }
}

extension Place {
    @inlinable package subscript<Item>(name: String) -> Place<Item> where Value == NamedList<Item> { entry(name) }

    @inlinable package func named<Item>() -> [Named<Place<Item>>] where Value == NamedList<Item> {
        entries.map { Named($0.key, Place<Item>(UntypedPlace($0))) }
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
    /// The place of a property of the section that is at a place.
    static func find(_ slot: Slot?, in section: UntypedPlace) -> UntypedPlace
    static var keyNames: [String] { get }
    static var shape: Shape { get }
}

extension DescriptorSection {
    package static func find(_ slot: Slot?, in section: UntypedPlace) -> UntypedPlace {
        guard let node = section.node else { return section.missing }
        let keys = keys
        // By index, so that no key is copied.
        if let slot, let index = keys.index(of: slot) {
            let name = keys[index].description.name
            guard node.entries != nil else { return name == shorthand ? section : section.missing }
            return section.entry(name)
        }
        guard let slot, keys.indices.contains(where: { keys[$0].groups.contains(slot) }) else {
            assertionFailure("\(Self.self) has no key for this property")
            return section.missing
        }
        return section
    }

    package static var keyNames: [String] { keys.map(\.description.name) }
}
