import CarnetFoundation

/// How the value of one parameter is encoded in a query or a form, where it is not as RFC 6749, appendix B, says.
package enum ParameterEncoding: String, DescriptorChoice, Sendable {
    /// All but letters, digits and `- . _ ~`; a space as `%20`.
    case percent
    /// The same with a space as `+`.
    case plus
    /// Characters that a query allows (RFC 3986, section 3.4) except `&` are not encoded; the rest as `percent`.
    case raw
    /// A list as one parameter for each element, each as `percent`.
    case repeated
}

/// The part of a URL after `#`, without what a fragment cannot hold (RFC 3986, section 3.5).
package struct URLFragment: Hashable, Sendable {
    package let text: String
}

extension URLFragment: DescriptorValue {
    static var shape: Shape {
        .text(
            "the fragment of a URL, such as /oauth/authorize", pattern: "^[A-Za-z0-9._~/:@!$'()*+,;=-]+$")
    }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let text = String(node, &decoder) else { return nil }
        guard text.utf8.allSatisfy({ ASCII.isUnreserved($0) || "/:@!$'()*+,;=".utf8.contains($0) }) else {
            decoder.reportWrongType(node, expected: Self.shape)
            return nil
        }
        self.text = text
    }

    func json(_ filler: TemplateFiller) -> JSONValue? { .string(text) }
}
