import CarnetFoundation

/// One key of a section: its name, what it may hold, what it means, and how it is read.
package struct Key<Section>: Sendable {
    package let description: KeyDescription
    /// Where the value is in the section.
    let slot: Slot
    /// The sections between this one and the value, whose keys stand in the same mapping.
    private(set) var groups: [Slot] = []
    package let read: @Sendable (YAMLNode, inout Section, inout DescriptorDecoder) -> Void
    /// The value as JSON; `nil` if the section has none.
    let write: @Sendable (Section, TemplateFiller) -> JSONValue?

    @inline(__always)
    init<Value: DescriptorValue>(
        _ name: String, _ path: any WritableKeyPath<Section, Value> & Sendable, isRequired: Bool = false,
        _ summary: String
    ) {
        self.init(name, path, Value.shape, isRequired: isRequired, summary, read: { Value($0, &$1) }) { $0.json($1) }
    }

    /// - Parameter read: `nil` leaves the property as it is.
    @inline(__always)
    init<Value>(
        _ name: String, _ path: any WritableKeyPath<Section, Value> & Sendable,
        _ shape: @autoclosure @escaping @Sendable () -> Shape, isRequired: Bool = false, _ summary: String,
        read: @escaping @Sendable (YAMLNode, inout DescriptorDecoder) -> Value?,
        write: @escaping @Sendable (Value, TemplateFiller) -> JSONValue?
    ) {
        let description = KeyDescription(name: name, shape: shape(), summary: summary, isRequired: isRequired)
        let property = Property(path)
        self.init(description: description, slot: property.slot) { node, section, decoder in
            if let value = read(node, &decoder) { property.modify(in: &section) { $0 = value } }
        } write: {
            write(property.value(in: $0), $1)
        }
    }

    /// A key of a file that is no descriptor, and that is not written back.
    package init(
        _ name: String, _ shape: Shape, _ summary: String, isRequired: Bool = false,
        read: @escaping @Sendable (YAMLNode, inout Section, inout DescriptorDecoder) -> Void
    ) {
        let description = KeyDescription(name: name, shape: shape, summary: summary, isRequired: isRequired)
        self.init(description: description, slot: .computed, read: read) { _, _ in nil }
    }

    init(
        description: KeyDescription, slot: Slot,
        read: @escaping @Sendable (YAMLNode, inout Section, inout DescriptorDecoder) -> Void,
        write: @escaping @Sendable (Section, TemplateFiller) -> JSONValue?
    ) {
        (self.description, self.slot, self.read, self.write) = (description, slot, read, write)
    }

    /// The same key in a section that contains this one's, so that sections share a vocabulary.
    @inline(__always)
    func lifted<Outer>(to path: any WritableKeyPath<Outer, Section> & Sendable) -> Key<Outer> {
        lifted(to: Property(path))
    }

    private func lifted<Outer>(to property: Property<Outer, Section>) -> Key<Outer> {
        let group = property.slot
        var key = Key<Outer>(description: description, slot: slot.inside(group)) { node, outer, decoder in
            property.modify(in: &outer) { read(node, &$0, &decoder) }
        } write: {
            write(property.value(in: $0), $1)
        }
        key.groups = [group] + groups.map { $0.inside(group) }
        return key
    }
}

extension Array {
    /// Where the key of a name is; nothing is copied on the way.
    fileprivate func index<Section>(of name: String) -> Int? where Element == Key<Section> {
        let length = name.utf8.count
        return withUnsafeBufferPointer { keys in
            keys.indices.first {
                keys[$0].description.name.utf8.count == length && keys[$0].description.name == name
            }
        }
    }

    /// Where the key of a property is.
    func index<Section>(of slot: Slot) -> Int? where Element == Key<Section> {
        withUnsafeBufferPointer { keys in keys.indices.first { keys[$0].slot == slot } }
    }

    /// What a section with these keys may look like.
    ///
    /// - Parameter shorthand: The key that a value without a mapping stands for.
    package func shape<Section>(of section: Section.Type, shorthand: String?) -> Shape where Element == Key<Section> {
        let mapping = Shape.section(
            SectionDescription(name: String(describing: section), keys: map(\.description)))
        guard let short = first(where: { $0.description.name == shorthand }) else { return mapping }
        return .either([short.description.shape, mapping])
    }

    /// Reads a section.
    ///
    /// - Parameters:
    ///   - shorthand: The key that a value without a mapping stands for.
    ///   - elsewhere: What to write for a name that is none of the keys.
    /// - Returns: Whether the value can be a section.
    package func read<Section>(
        _ node: YAMLNode, into section: inout Section, _ decoder: inout DescriptorDecoder, shorthand: String?,
        elsewhere: (String) -> String?
    ) -> Bool where Element == Key<Section> {
        guard let entries = node.entries else {
            guard let short = first(where: { $0.description.name == shorthand }), !node.isNull else {
                decoder.reportWrongType(node, expected: shape(of: Section.self, shorthand: shorthand))
                return false
            }
            short.read(node, &section, &decoder)
            return true
        }
        read(entries, into: &section, &decoder, elsewhere: elsewhere)
        guard !decoder.isPartial else { return true }
        for index in indices where self[index].description.isRequired {
            let key = self[index].description
            if node.entry(key.name) == nil { decoder.reportMissingKey(key, in: node) }
        }
        return true
    }

    /// Reads the values of a mapping into a section.
    ///
    /// - Parameter elsewhere: What to write for a name that is none of the keys.
    package func read<Section>(
        _ entries: [YAMLEntry], into section: inout Section, _ decoder: inout DescriptorDecoder,
        elsewhere: (String) -> String? = { _ in nil }
    ) where Element == Key<Section> {
        // By index, so that no entry is copied.
        for position in entries.indices {
            if let index = index(of: entries[position].key) {
                if !decoder.deletes(entries[position]) { self[index].read(entries[position].value, &section, &decoder) }
            } else {
                decoder.reportUnknownKey(
                    entries[position], allowed: map(\.description.name),
                    below: { map(\.description).paths(to: $0) }, elsewhere: elsewhere)
            }
        }
    }
}

/// A section whose value others beside it may use, so that every pair of them may have to be compared.
protocol ReferredSection: DescriptorSection {}

extension ReferredSection {
    static var maximumCount: Int { 32 }
}

/// A mapping of the descriptor language. Its table of keys is its decoder, its writer, schema and documentation.
protocol DescriptorSection: DescriptorValue, PlacedSection {
    init()
    static var keys: [Key<Self>] { get }
    /// The key that a bare scalar or list stands for, e.g. `discovery: none`.
    static var shorthand: String? { get }
    /// What to write for a name that people write here, but that is none of the keys.
    static func elsewhere(_ name: String) -> String?
    /// Notes that a file has the section.
    mutating func noteWritten()
}

extension DescriptorSection {
    static var shorthand: String? { nil }
    static func elsewhere(_ name: String) -> String? { nil }
    mutating func noteWritten() {}

    package static var shape: Shape { keys.shape(of: Self.self, shorthand: shorthand) }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        self.init()
        guard
            Self.keys.read(node, into: &self, &decoder, shorthand: Self.shorthand, elsewhere: Self.elsewhere)
        else { return nil }
        noteWritten()
    }

    /// One form of the mapping, which has some of its keys.
    ///
    /// - Parameter isWhole: Whether it is one value. If not, a descriptor that extends another can delete other keys.
    static func form(
        _ name: String, _ phrase: String, required: [String], optional: [String] = [], isWhole: Bool = true
    ) -> Shape {
        var (described, others): ([KeyDescription], [String]) = ([], [])
        for key in keys.map(\.description) {
            let isRequired = required.contains(key.name)
            guard isRequired || optional.contains(key.name) else {
                others.append(key.name)
                continue
            }
            described.append(
                KeyDescription(name: key.name, shape: key.shape, summary: key.summary, isRequired: isRequired))
        }
        return .section(
            SectionDescription(
                name: name, keys: described, phrase: phrase, isWhole: isWhole, alternatives: isWhole ? [] : others))
    }

    func json(_ filler: TemplateFiller) -> JSONValue? {
        var object = JSONObject()
        for key in Self.keys { object[key.description.name] = key.write(self, filler) }
        return .object(object)
    }
}
