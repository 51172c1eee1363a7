package import CarnetFoundation

/// A host name, or `*.` and a domain for all hosts below it.
package struct HostPattern: Hashable, DescriptorValue, Sendable {
    package let source: String

    private static let label = "[a-z0-9]([a-z0-9-]*[a-z0-9])?"
    static let pattern = #"^((\*\.\#(label)\.)?\#(label)(\.\#(label))*)(:[0-9]{1,5})?$"#

    private static let form = try? ValuePattern(pattern)

    /// - Returns: `nil` for what is neither; a wildcard needs two labels behind it.
    package init?(_ source: String) {
        guard Self.form?.matches(source) == true else { return nil }
        self.source = source
    }

    /// A pattern that was checked when it was read.
    package init(checked source: String) {
        self.source = source
    }

    /// Whether a URL is of this host, at its own port.
    package func matches(_ url: WebURL) -> Bool {
        guard source.hasPrefix("*.") else { return url.authority == source }
        return url.authority.hasSuffix(source.dropFirst()) && url.authority.count > source.count - 1
    }

    static var shape: Shape {
        .text("a host name, or *. and a domain", pattern: pattern)
    }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let text = String(node, &decoder) else { return nil }
        guard let host = HostPattern(text) else {
            decoder.report(
                .valueNotAllowed,
                "\"\(text)\" is not a host",
                at: node.span,
                help: "write a host such as api.acme.example, or *.acme.example for all hosts below a domain"
            )
            return nil
        }
        self = host
    }

    func json(_ filler: TemplateFiller) -> JSONValue? { .string(source) }
}
