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
