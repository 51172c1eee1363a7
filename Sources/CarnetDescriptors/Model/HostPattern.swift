/// A host name, or `*.` and a domain for all hosts below it.
public struct HostPattern: Hashable, Sendable {
    public let source: String

    private static let label = "[a-z0-9]([a-z0-9-]*[a-z0-9])?"
    static let pattern = #"^((\*\.\#(label)\.)?\#(label)(\.\#(label))*)(:[0-9]{1,5})?$"#

    /// - Returns: `nil` for what is neither; a wildcard needs two labels behind it.
    public init?(_ source: String) {
        guard let regex = try? Regex(Self.pattern), (try? regex.wholeMatch(in: source)) != nil else { return nil }
        self.source = source
    }

    /// Whether a URL is of this host, at its own port.
    public func matches(_ url: WebURL) -> Bool {
        guard source.hasPrefix("*.") else { return url.authority == source }
        return url.authority.hasSuffix(source.dropFirst()) && url.authority.count > source.count - 1
    }
}

extension HostPattern: DescriptorValue {
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
}
