import CarnetDescriptors

/// One form of redirect URI as it is written.
struct RedirectURI: Sendable {
    let node: YAMLNode
    let source: String

    static func all(in root: YAMLNode) -> [RedirectURI] {
        root.elements(at: ["redirects"]).compactMap { node in
            node.scalar.map { RedirectURI(node: node, source: $0.text) }
        }
    }

    /// What stands before the first colon, a place for an input included.
    var scheme: Substring? {
        guard let colon = source.firstIndex(of: ":") else { return nil }
        return source[..<colon]
    }

    var isWeb: Bool {
        let scheme = scheme?.lowercased()
        return scheme == "https" || scheme == "http"
    }

    /// The host of a form that starts with a scheme and `//`.
    var host: Substring {
        DescriptorURL(node: node, source: source).host
    }
}
