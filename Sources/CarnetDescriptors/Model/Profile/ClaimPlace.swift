package import CarnetFoundation

/// Where a claim of a further request is: in the first candidate, or in each of them.
package struct ClaimPlace: Hashable, Sendable {
    package let pointers: [JSONPointer]
    /// Whether the claim is a list, with the value in each candidate.
    package let isList: Bool
}

extension ClaimPlace: DescriptorValue {
    /// The mapping as it is written.
    private struct Section: DescriptorSection {
        var each = PointerList([])

        static let keys: [Key<Self>] = [
            Key("each", \.each, isRequired: true, "the place of the value in each candidate")
        ]
    }

    static var shape: Shape {
        .either([
            PointerList.shape,
            .section(
                SectionDescription(
                    name: "ClaimOfEach", keys: Section.keys.map(\.description), phrase: "{ each: POINTER }",
                    isWhole: true)),
        ])
    }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        let places = node.entries == nil ? PointerList(node, &decoder) : Section(node, &decoder)?.each
        guard let places else { return nil }
        self.init(pointers: places.pointers, isList: node.entries != nil)
    }

    func json(_ filler: TemplateFiller) -> JSONValue? {
        let places = PointerList(pointers)
        return isList ? Section(each: places).json(filler) : places.json(filler)
    }
}

/// Where a claim of the first response is: at a place, or in each element of the list at a place.
package struct FirstClaimPlace: Hashable, Sendable {
    /// The places of the value, or the place of the list.
    package let pointers: [JSONPointer]
    /// The places of the value in each element of the list; `nil` for one value.
    package let each: [JSONPointer]?

    /// The list with the values, over what other claims have in its elements.
    package func list(of values: JSONValue, over present: JSONValue? = nil) -> JSONValue {
        guard let place = each?.first, let values = values.array else { return values }
        let present = present?.array ?? []
        let own = values.enumerated().map { index, value in
            var element = present.indices.contains(index) ? present[index] : JSONValue.object(JSONObject())
            element.set(value, at: place)
            return element
        }
        return .array(own + present.dropFirst(values.count))
    }
}

extension FirstClaimPlace: DescriptorValue {
    /// The mapping as it is written.
    private struct Section: DescriptorSection {
        var root = JSONPointer(tokens: [])
        var each = PointerList([])

        static let keys: [Key<Self>] = [
            Key("root", \.root, isRequired: true, "the place of the list"),
            Key("each", \.each, isRequired: true, "the place of the value in each element of the list"),
        ]
    }

    static var shape: Shape {
        .either([
            PointerList.shape,
            .section(
                SectionDescription(
                    name: "ClaimOfList", keys: Section.keys.map(\.description),
                    phrase: "{ root: POINTER, each: POINTER }", isWhole: true)),
        ])
    }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        if node.entries == nil {
            guard let places = PointerList(node, &decoder) else { return nil }
            self.init(pointers: places.pointers, each: nil)
        } else {
            // A descriptor that extends another says all of it, too.
            let isPartial = decoder.isPartial
            decoder.isPartial = false
            defer { decoder.isPartial = isPartial }
            guard let section = Section(node, &decoder) else { return nil }
            self.init(pointers: [section.root], each: section.each.pointers)
        }
    }

    func json(_ filler: TemplateFiller) -> JSONValue? {
        guard let each, let root = pointers.first else { return PointerList(pointers).json(filler) }
        return Section(root: root, each: PointerList(each)).json(filler)
    }
}
