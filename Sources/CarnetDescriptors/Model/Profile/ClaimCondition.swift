import CarnetFoundation

/// A condition of a claim: a member of the element is one of some texts, which may have inputs in them.
struct ClaimCondition: Hashable, Sendable {
    let templates: [Template]
    /// Whether the descriptor itself states the texts.
    let isFixed: Bool
    private let requirement: ClaimRequirement

    /// Nothing meets a condition with an input until it is filled.
    private init(_ templates: [Template]) {
        self.templates = templates
        isFixed = !templates.contains(where: \.usesInputs)
        requirement = ClaimRequirement(values: isFixed ? templates.map(\.source) : [])
    }

    /// A condition whose inputs are filled.
    init(filled texts: [String]) {
        templates = texts.map { Template($0, parts: [.literal($0)]) }
        isFixed = false
        requirement = ClaimRequirement(values: texts)
    }

    var values: [String] { requirement.values }

    func isMet(by member: JSONValue?) -> Bool { requirement.isMet(by: member) }

    /// The value of a member that meets the condition.
    func meeting(_ member: JSONValue?) -> JSONValue? {
        guard let value = values.first else { return member }
        return (member?.array).map { .array($0 + [.string(value)]) } ?? .string(value)
    }
}

extension ClaimCondition: DescriptorValue {
    // A text that is empty is no template.
    private static let text = Shape.text(
        Template.phrase(in: .configuration), pattern: Template.pattern.dropLast(2) + "+$", takesScalars: true)

    static var shape: Shape { .either([text, .list(of: text)]) }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        var templates: [Template] = []
        for element in node.elements ?? [node] {
            guard let scalar = decoder.expect(element.written, element, Self.shape) else { return nil }
            guard !scalar.text.isEmpty else {
                decoder.report(.emptyValue, "the value is empty", at: element.span)
                return nil
            }
            guard let template = Template(element, &decoder) else { return nil }
            templates.append(template)
        }
        self.init(templates)
    }

    func json(_ filler: TemplateFiller) -> JSONValue? {
        templates.count == 1 ? templates[0].json(filler) : templates.json(filler)
    }
}
