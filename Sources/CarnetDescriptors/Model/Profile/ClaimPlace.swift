package import CarnetFoundation

/// How a claim is read at its places.
enum ClaimReading: String, CaseIterable, Hashable, Sendable {
    /// The value of the first candidate or element.
    case first
    /// The list of the values of all.
    case each
    /// Whether the first one has a value.
    case present
}

/// Where a claim of a response is: at a place, or in the elements of the list at a place.
package struct ClaimPlace: Hashable, Sendable {
    /// The places of the value, or the place of the list.
    package let pointers: [JSONPointer]
    /// How the elements of the list are read; `nil` if the claim is of the value at the place.
    package let elements: ClaimOfElements?
    /// Whether the claim is true or false: whether there is a value.
    package let isPresence: Bool

    /// Whether the claim is a list of values.
    package var isList: Bool { elements?.isList == true }
    /// Whether the candidates themselves are the list.
    package var isOfCandidates: Bool { elements != nil && pointers == [.whole] }
    /// The places in a candidate.
    package var pointersInCandidate: [JSONPointer] { isOfCandidates ? elements?.pointers ?? [] : pointers }

    /// Whether another claim is read of the same element of a list.
    package func isOfSameElement(as other: ClaimPlace) -> Bool {
        func list(_ claim: ClaimPlace) -> [JSONPointer] { claim.elements == nil ? [.whole] : claim.pointers }
        return list(self) == list(other) && (elements?.conditions ?? []) == (other.elements?.conditions ?? [])
    }

    /// The value in what is at the place.
    package func value(in found: JSONValue) -> JSONValue? {
        elements.map { $0.value(in: found) } ?? (isPresence ? .bool(found.isSomething) : found)
    }
}

extension ClaimPlace {
    /// Whether only an element that meets a condition has the claim.
    package var isConditional: Bool { elements?.conditions.isEmpty == false }
    /// Whether a condition is not known yet.
    var takesInputs: Bool { elements?.conditions.contains { !$0.value.isFixed } ?? false }

    /// The claim at other places, and of other elements.
    func changing(
        _ change: ([JSONPointer]) throws(ResolutionError) -> [JSONPointer],
        conditions: ([Named<ClaimCondition>]) throws(ResolutionError) -> [Named<ClaimCondition>]
    ) throws(ResolutionError) -> ClaimPlace {
        let elements = try self.elements.map { elements throws(ResolutionError) in
            ClaimOfElements(
                conditions: try conditions(elements.conditions), pointers: try change(elements.pointers),
                reading: elements.reading)
        }
        return ClaimPlace(pointers: try change(pointers), elements: elements, isPresence: isPresence)
    }
}

/// The values, or the first value, in those elements of a list that meet conditions.
package struct ClaimOfElements: Hashable, Sendable, CustomStringConvertible {
    fileprivate let conditions: [Named<ClaimCondition>]
    /// The places of the value in an element.
    package let pointers: [JSONPointer]
    fileprivate let reading: ClaimReading

    /// Whether the claim is the list of the values.
    package var isList: Bool { reading == .each }

    package var description: String {
        let wanted = conditions.map { "\($0.name) \($0.value.templates.map(\.source).joined(separator: " or "))" }
        let elements = isList ? "each element" : "the first element"
        let places = pointers.listed(by: " or ")
        return elements + (wanted.isEmpty ? "" : " with " + wanted.joined(separator: " and "))
            + (reading == .present ? ", whether it has " : ", at ") + places
    }

    package func value(in list: JSONValue) -> JSONValue? {
        let found = list.candidates.lazy.filter(isMet).map { $0.firstStated(of: pointers) }
        if reading == .present { return .bool((found.first ?? nil)?.isSomething ?? false) }
        guard isList else { return found.first ?? nil }
        return .array(Array(found.compactMap { $0 }.prefix(ProfileRequest.longestList)))
    }

    /// Whether an element that counts has `null` or an empty string in the place of the value.
    package func saysNone(in list: JSONValue) -> Bool {
        list.candidates.contains { isMet(by: $0) && $0.saysNone(at: pointers) }
    }

    /// Whether each element is refused by a condition that is true or false, such as `primary`: this user has none. A text
    /// may be misspelled.
    package func isOfOthers(in list: JSONValue) -> Bool {
        let truths: Set<String> = ["true", "false"]
        return list.candidates.allSatisfy { element in
            !isMet(by: element)
                && conditions.allSatisfy { condition in
                    element[JSONPointer(ofCondition: condition.name)] != nil
                        && truths.isSuperset(of: condition.value.values)
                }
        }
    }

    private func isMet(by element: JSONValue) -> Bool {
        conditions.allSatisfy { $0.value.isMet(by: element[JSONPointer(ofCondition: $0.name)]) }
    }

    /// The list with an element that meets the conditions, if one has what the descriptor itself states: a sample has one
    /// value of an input.
    package func meeting(in list: JSONValue) -> JSONValue {
        var all = list.candidates
        func isFit(_ element: JSONValue) -> Bool {
            conditions.allSatisfy {
                !$0.value.isFixed || $0.value.isMet(by: element[JSONPointer(ofCondition: $0.name)])
            }
        }
        guard !all.contains(where: isMet), let index = all.firstIndex(where: isFit) else { return list }
        meet(&all[index])
        return list.object == nil ? .array(all) : all[0]
    }

    private func meet(_ element: inout JSONValue) {
        for condition in conditions {
            let place = JSONPointer(ofCondition: condition.name)
            guard !condition.value.isMet(by: element[place]) else { continue }
            if let met = condition.value.meeting(element[place]) { element.set(met, at: place) }
        }
    }

    /// The part of a list that this claim needs, at the same indices, merged with the parts for other claims.
    package func kept(of list: JSONValue, over present: JSONValue?) -> JSONValue {
        var all = present?.candidates ?? []
        let found = list.candidates.enumerated().filter { isMet(by: $0.element) }
        for (index, element) in found.prefix(isList ? ProfileRequest.longestList : 1) where index < 10_000 {
            while all.count <= index { all.append(.object(JSONObject())) }
            for condition in conditions {
                let place = JSONPointer(ofCondition: condition.name)
                let met = condition.value.values.first { ClaimRequirement(values: [$0]).isMet(by: element[place]) }
                if let met { all[index].set(.string(met), at: place) }
            }
            guard let place = pointers.first(where: { element[$0]?.isStated == true }), let value = element[place]
            else { continue }
            guard reading == .present else {
                all[index].set(value, at: place)
                continue
            }
            // Another claim may be the value itself.
            if all[index][place] == nil { all[index].set(.bool(value.isSomething), at: place) }
        }
        return list.object != nil && all.count == 1 ? all[0] : .array(all)
    }

    /// A list with the value in it, over what other claims have in its elements.
    package func list(of value: JSONValue, over present: JSONValue? = nil) -> JSONValue {
        guard let place = pointers.first else { return value }
        var all = present?.candidates ?? []
        // An object is no list to which another element could be added.
        var free = all.indices.filter { present?.object != nil || isMet(by: all[$0]) }[...]
        for value in isList ? value.array ?? [] : [value] {
            let index = free.popFirst() ?? all.endIndex
            if index == all.endIndex { all.append(.object(JSONObject())) }
            all[index].set(value, at: place)
            // A value that is the whole element may lack what the conditions want.
            meet(&all[index])
        }
        if present?.object != nil, all.count == 1 { return all[0] }
        return .array(all)
    }
}

extension JSONValue {
    /// The elements of a list; an object is the only one.
    fileprivate var candidates: [JSONValue] { self.array ?? (self.object == nil ? [] : [self]) }

    /// Whether there is something: nothing that is false, empty or zero. Servers without null write a time that never was as
    /// 0, as year 0 or, as the zero of its type, as year 1.
    package var isSomething: Bool {
        switch self {
        case .null: false
        case .bool(let value): value
        case .number(let text): Double(text) != 0
        case .string(let text): !["", "0", "false", "False", "FALSE"].contains(text) && !text.hasPrefix("000")
        case .array(let elements): !elements.isEmpty
        case .object(let object): !object.members.isEmpty
        }
    }
}

extension JSONPointer {
    /// The place of the value itself.
    package static let whole = JSONPointer(tokens: [])

    /// The place that a condition names: a member, or a pointer.
    package init(ofCondition name: String) {
        self = (name.hasPrefix("/") ? JSONPointer(name) : nil) ?? JSONPointer(tokens: [name])
    }
}

/// The mapping as it is written, for each of its keys.
private struct ClaimSection<Reading: ClaimReadingKey>: DescriptorSection {
    var root: JSONPointer?
    var conditions = NamedList<ClaimCondition>()
    var places = PointerList([])

    static var keys: [Key<Self>] {
        [
            Key("root", \.root, "the place of the list; default: the candidates, or the object with the claims"),
            Key("where", \.conditions, "member or pointer -> the value, or the values, of the elements that count"),
            Key(Reading.reading.rawValue, \.places, isRequired: true, Reading.summary),
        ]
    }

    static var alternative: Shape {
        let key = Reading.reading.rawValue
        return form("Claim." + key, "{ \(key): POINTER }", required: [key], optional: ["root", "where"])
    }
}

private protocol ClaimReadingKey: Sendable {
    static var reading: ClaimReading { get }
    static var summary: String { get }
}

private enum EachValue: ClaimReadingKey {
    static let reading = ClaimReading.each
    static let summary =
        "the place of the value in each element that counts, '' for the element itself; the claim is a list"
}

private enum FirstValue: ClaimReadingKey {
    static let reading = ClaimReading.first
    static let summary = "the place of the value in the first element that counts"
}

private enum Presence: ClaimReadingKey {
    static let reading = ClaimReading.present
    static let summary = "the place of the value that makes the claim true; without root and where, in no list"
}

extension ClaimPlace: DescriptorValue {
    static var shape: Shape {
        .either([
            PointerList.shape, ClaimSection<EachValue>.alternative, ClaimSection<FirstValue>.alternative,
            ClaimSection<Presence>.alternative,
        ])
    }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let entries = node.entries else {
            guard let places = PointerList(node, &decoder) else { return nil }
            self.init(pointers: places.pointers, elements: nil, isPresence: false)
            return
        }
        let keys = ClaimReading.allCases.map(\.rawValue)
        let reading = entries.lazy.compactMap { nearestName(to: $0.key, in: keys) }.first.flatMap(ClaimReading.init)
        // A descriptor that extends another says all of it, too.
        let place = decoder.reading(aPart: false) { decoder in
            switch reading {
            case .first: Self.read(FirstValue.self, node, &decoder)
            case .present: Self.read(Presence.self, node, &decoder)
            case .each, nil: Self.read(EachValue.self, node, &decoder)
            }
        }
        guard let place else { return nil }
        self = place
    }

    private static func read<Reading: ClaimReadingKey>(
        _ type: Reading.Type, _ node: YAMLNode, _ decoder: inout DescriptorDecoder
    ) -> ClaimPlace? {
        guard let section = ClaimSection<Reading>(node, &decoder) else { return nil }
        let isPresence = Reading.reading == .present
        if isPresence, section.root == nil, section.conditions.items.isEmpty {
            return ClaimPlace(pointers: section.places.pointers, elements: nil, isPresence: true)
        }
        return ClaimPlace(
            pointers: [section.root ?? .whole],
            elements: ClaimOfElements(
                conditions: section.conditions.items, pointers: section.places.pointers, reading: Reading.reading),
            isPresence: isPresence)
    }

    func json(_ filler: TemplateFiller) -> JSONValue? {
        func written<Reading: ClaimReadingKey>(_ type: Reading.Type) -> JSONValue? {
            let root = elements == nil || pointers == [.whole] ? nil : pointers.first
            return ClaimSection<Reading>(
                root: root, conditions: NamedList(elements?.conditions ?? []),
                places: PointerList(elements?.pointers ?? pointers)
            ).json(filler)
        }
        return switch elements?.reading ?? (isPresence ? .present : nil) {
        case .each: written(EachValue.self)
        case .first: written(FirstValue.self)
        case .present: written(Presence.self)
        case nil: PointerList(pointers).json(filler)
        }
    }
}
