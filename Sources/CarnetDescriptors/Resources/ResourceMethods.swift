package import CarnetFoundation

/// The HTTP methods of a resource. A call uses the first.
package struct ResourceMethods: Hashable, DescriptorValue, Sendable {
    package let all: [ResourceMethod]

    package init(_ all: [ResourceMethod]) { self.all = all }

    package var first: ResourceMethod { all.first ?? .get }

    static var shape: Shape { .either([ResourceMethod.shape, [ResourceMethod].shape]) }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        let list = node.elements == nil ? ResourceMethod(node, &decoder).map { [$0] } : [ResourceMethod](node, &decoder)
        guard let list else { return nil }
        self.init(list)
    }

    func json(_ filler: TemplateFiller) -> JSONValue? {
        all.count == 1 ? first.json(filler) : all.json(filler)
    }
}

/// The values of a claim of which the sender's token must have one. Without a value, no token is enough.
package struct ClaimRequirement: Hashable, Sendable {
    package let values: [String]
}

extension ClaimRequirement: DescriptorValue {
    private static let scalar = Shape.text("a value", takesScalars: true)

    package static var shape: Shape { .either([scalar, .list(of: scalar)]) }

    package init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        var values: [String] = []
        for element in node.elements ?? [node] {
            guard let scalar = decoder.expect(element.written, element, Self.shape) else { return nil }
            guard !scalar.text.isEmpty else {
                decoder.report(.emptyValue, "the value is empty", at: element.span)
                return nil
            }
            values.append(scalar.text)
        }
        self.values = values
    }

    func json(_ filler: TemplateFiller) -> JSONValue? {
        values.count == 1 ? .string(values[0]) : .array(values.map { .string($0) })
    }

    /// Whether a claim, or one element of a claim that is a list, is one of the values. All are compared as bytes.
    package func isMet(by claim: JSONValue?) -> Bool {
        switch claim {
        case .array(let elements)?: elements.contains { contains($0) }
        case let value?: contains(value)
        case nil: false
        }
    }

    private func contains(_ value: JSONValue) -> Bool {
        value.scalarText.map { values.containsBytes(of: $0) } ?? false
    }
}

/// How long ago a user may have signed in, in seconds.
package struct AuthenticationAge: BoundedInteger, Hashable {
    static var range: ClosedRange<Int> { 0...31_536_000 }
    package let seconds: Int

    init(_ value: Int) { seconds = value }
    var value: Int { seconds }
}
