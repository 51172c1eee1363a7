package import CarnetFoundation

/// What a claim is of what is at its places.
package enum ClaimReading: Hashable, Sendable {
    /// The value of the first candidate or element.
    case first
    /// The list of the values of all.
    case each
    /// Whether the first one has a value.
    case present
}

/// Where a claim of a further request is: in the first candidate, or in each of them.
package struct ClaimPlace: Hashable, Sendable {
    package let pointers: [JSONPointer]
    package let reading: ClaimReading

    package var isList: Bool { reading == .each }
}

extension ClaimPlace: DescriptorValue {
    private struct Section: DescriptorSection {
        var each = PointerList([])

        static let keys: [Key<Self>] = [
            Key("each", \.each, isRequired: true, "the place of the value in each candidate")
        ]
    }

    static var shape: Shape {
        .either([
            PointerList.shape, Section.form("ClaimOfEach", "{ each: POINTER }", required: ["each"]),
            Presence.alternative,
        ])
    }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        let reading: ClaimReading =
            node.entries == nil ? .first : node.means(PresentElement.self, among: [EachElement.key]) ? .present : .each
        let places =
            switch reading {
            case .first: PointerList(node, &decoder)
            case .each: Section(node, &decoder)?.each
            case .present: Presence(node, &decoder)?.places
            }
        guard let places else { return nil }
        self.init(pointers: places.pointers, reading: reading)
    }

    func json(_ filler: TemplateFiller) -> JSONValue? {
        let places = PointerList(pointers)
        return switch reading {
        case .first: places.json(filler)
        case .each: Section(each: places).json(filler)
        case .present: Presence(places: places).json(filler)
        }
    }
}

/// A claim that says whether there is a value, as it is written.
private struct Presence: DescriptorSection {
    var places = PointerList([])

    static let keys: [Key<Self>] = [
        Key(PresentElement.key, \.places, isRequired: true, "the place of the value that makes the claim true")
    ]

    static var alternative: Shape {
        form("Presence", "{ \(PresentElement.key): POINTER }", required: [PresentElement.key])
    }
}

/// Where a claim of the first response is: at a place, or in the elements of the list at a place.
package struct FirstClaimPlace: Hashable, Sendable {
    /// The places of the value, or the place of the list.
    package let pointers: [JSONPointer]
    /// How the elements of the list are read; `nil` if the claim is of the value at the place.
    package let elements: ClaimOfElements?
    /// Whether the claim is true or false: whether there is a value.
    package let isPresence: Bool
}

/// The values, or the first value, in those elements of a list that meet conditions.
package struct ClaimOfElements: Hashable, Sendable, CustomStringConvertible {
    fileprivate let conditions: [Named<ClaimRequirement>]
    /// The places of the value in an element.
    package let pointers: [JSONPointer]
    fileprivate let reading: ClaimReading

    /// Whether the claim is the list of the values.
    package var isList: Bool { reading == .each }

    package var description: String {
        let wanted = conditions.map { "\($0.name) \($0.value.values.joined(separator: " or "))" }
        let elements = isList ? "each element" : "the first element"
        let places = pointers.map(\.description).joined(separator: " or ")
        return elements + (wanted.isEmpty ? "" : " with " + wanted.joined(separator: " and "))
            + (reading == .present ? ", whether it has " : ", at ") + places
    }

    /// Whether another claim is read of the same element.
    package func isOfSameElement(as other: ClaimOfElements?) -> Bool { conditions == other?.conditions }

    package func value(in list: JSONValue) -> JSONValue? {
        let found = (list.array ?? []).lazy.filter(isMet).map { $0.first(of: pointers) }
        if reading == .present { return .bool((found.first ?? nil)?.isSomething ?? false) }
        guard isList else { return found.first ?? nil }
        let values = found.compactMap { $0 }.filter { $0.scalarText != nil }
        return .array(Array(values.prefix(ProfileRequest.longestList)))
    }

    /// Whether an element that counts has `null` in the place of the value.
    package func saysNone(in list: JSONValue) -> Bool {
        (list.array ?? []).contains { isMet(by: $0) && $0.saysNone(at: pointers) }
    }

    private func isMet(by element: JSONValue) -> Bool {
        conditions.allSatisfy { $0.value.isMet(by: element[JSONPointer(ofCondition: $0.name)]) }
    }

    /// The part of a list that this claim needs, at the same indices, merged with the parts for other claims.
    package func kept(of list: JSONValue, over present: JSONValue?) -> JSONValue {
        var all = present?.array ?? []
        let found = (list.array ?? []).enumerated().filter { isMet(by: $0.element) }
        for (index, element) in found.prefix(isList ? ProfileRequest.longestList : 1) where index < 10_000 {
            while all.count <= index { all.append(.object(JSONObject())) }
            for condition in conditions {
                let place = JSONPointer(ofCondition: condition.name)
                let met = condition.value.values.first { ClaimRequirement(values: [$0]).isMet(by: element[place]) }
                if let met { all[index].set(.string(met), at: place) }
            }
            guard let place = pointers.first(where: { element[$0]?.isNull == false }), let value = element[place],
                !isList || value.scalarText != nil
            else { continue }
            guard reading == .present else {
                all[index].set(value, at: place)
                continue
            }
            // Another claim may be the value itself.
            if all[index][place] == nil { all[index].set(.bool(value.isSomething), at: place) }
        }
        return .array(all)
    }

    /// A list with the value in it, over what other claims have in its elements.
    package func list(of value: JSONValue, over present: JSONValue? = nil) -> JSONValue {
        guard let place = pointers.first else { return value }
        var all = present?.array ?? []
        var free = all.indices.filter { isMet(by: all[$0]) }[...]
        for value in isList ? value.array ?? [] : [value] {
            let index = free.popFirst() ?? all.endIndex
            if index == all.endIndex {
                var element = JSONValue.object(JSONObject())
                for condition in conditions {
                    element.set(
                        .string(condition.value.values.first ?? ""), at: JSONPointer(ofCondition: condition.name))
                }
                all.append(element)
            }
            all[index].set(value, at: place)
        }
        return .array(all)
    }
}

extension JSONValue {
    /// Whether there is something: nothing that is false, empty or zero. Servers without null write a time that never was as
    /// 0, as year 0 or, as the zero of its type, as year 1.
    package var isSomething: Bool {
        switch self {
        case .null: false
        case .bool(let value): value
        case .number(let text): Double(text) != 0
        case .string(let text): !["", "0", "false"].contains(text) && !text.hasPrefix("000")
        case .array(let elements): !elements.isEmpty
        case .object(let object): !object.members.isEmpty
        }
    }
}

extension JSONPointer {
    /// The place that a condition names: a member, or a pointer.
    init(ofCondition name: String) {
        self = (name.hasPrefix("/") ? JSONPointer(name) : nil) ?? JSONPointer(tokens: [name])
    }
}

/// The key of a mapping that names the place in the elements.
private protocol ElementReading: Sendable {
    static var key: String { get }
    static var summary: String { get }
}

private enum EachElement: ElementReading {
    static let key = "each"
    static let summary = "the place of the value in each element of the list"
}

private enum FirstElement: ElementReading {
    static let key = "first"
    static let summary = "the place of the value in the first element that has what 'where' says"
}

private enum PresentElement: ElementReading {
    static let key = "present"
    static let summary = "the place of the value that makes the claim true"
}

extension YAMLNode {
    /// Whether a mapping has the key of a reading, or one that is most like it.
    fileprivate func means<Reading: ElementReading>(_ reading: Reading.Type, among others: [String]) -> Bool {
        entries?.contains { nearestName(to: $0.key, in: others + [Reading.key]) == Reading.key } ?? false
    }
}

/// The mapping as it is written.
private struct ElementsSection<Reading: ElementReading>: DescriptorSection {
    var root = JSONPointer(tokens: [])
    var conditions = NamedList<ClaimRequirement>()
    var places = PointerList([])

    static var keys: [Key<Self>] {
        [
            Key("root", \.root, isRequired: true, "the place of the list"),
            Key("where", \.conditions, "member or pointer -> the value, or the values, of the elements that count"),
            Key(Reading.key, \.places, isRequired: true, Reading.summary),
        ]
    }

    static var alternative: Shape {
        form(
            "Elements." + Reading.key, "{ root: POINTER, \(Reading.key): POINTER }", required: ["root", Reading.key],
            optional: ["where"])
    }
}

extension FirstClaimPlace: DescriptorValue {
    static var shape: Shape {
        .either([
            PointerList.shape, Presence.alternative, ElementsSection<EachElement>.alternative,
            ElementsSection<FirstElement>.alternative, ElementsSection<PresentElement>.alternative,
        ])
    }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let entries = node.entries else {
            guard let places = PointerList(node, &decoder) else { return nil }
            self.init(pointers: places.pointers, elements: nil, isPresence: false)
            return
        }
        let all = [EachElement.key, FirstElement.key, PresentElement.key]
        let isPresence = node.means(PresentElement.self, among: all)
        if isPresence, !entries.contains(where: { ["root", "where"].contains($0.key) }) {
            guard let presence = decoder.reading(aPart: false, { Presence(node, &$0) }) else { return nil }
            self.init(pointers: presence.places.pointers, elements: nil, isPresence: true)
            return
        }
        let isFirst = node.means(FirstElement.self, among: all)
        // A descriptor that extends another says all of it, too.
        let place = decoder.reading(aPart: false) {
            isPresence
                ? Self.read(PresentElement.self, .present, node, &$0)
                : isFirst
                    ? Self.read(FirstElement.self, .first, node, &$0) : Self.read(EachElement.self, .each, node, &$0)
        }
        guard let place else { return nil }
        self = place
    }

    private static func read<Reading: ElementReading>(
        _ type: Reading.Type, _ reading: ClaimReading, _ node: YAMLNode, _ decoder: inout DescriptorDecoder
    ) -> FirstClaimPlace? {
        guard let section = ElementsSection<Reading>(node, &decoder) else { return nil }
        return FirstClaimPlace(
            pointers: [section.root],
            elements: ClaimOfElements(
                conditions: section.conditions.items, pointers: section.places.pointers, reading: reading),
            isPresence: reading == .present)
    }

    func json(_ filler: TemplateFiller) -> JSONValue? {
        let places = PointerList(pointers)
        guard let elements, let root = pointers.first else {
            return isPresence ? Presence(places: places).json(filler) : places.json(filler)
        }
        func written<Reading: ElementReading>(_ reading: Reading.Type) -> JSONValue? {
            ElementsSection<Reading>(
                root: root, conditions: NamedList(elements.conditions), places: PointerList(elements.pointers)
            ).json(filler)
        }
        return switch elements.reading {
        case .each: written(EachElement.self)
        case .first: written(FirstElement.self)
        case .present: written(PresentElement.self)
        }
    }
}
