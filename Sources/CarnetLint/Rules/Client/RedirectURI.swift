import CarnetDescriptors

/// One form of redirect URI as it is written.
struct RedirectURI: Sendable {
    let node: YAMLNode
    let source: String
    /// The part before the first colon, including a placeholder.
    let scheme: Substring?
    /// The host of a form that starts with a scheme and `//`.
    let host: Substring
    let isWeb: Bool

    init(node: YAMLNode, source: String) {
        self.node = node
        self.source = source
        scheme = source.utf8.firstIndex(of: UInt8(ascii: ":")).map { source[..<$0] }
        host = DescriptorURL(node: node, source: source).host
        isWeb = ["https", "http"].contains(scheme.map { String($0).lowercased() })
    }

    static func all(in places: Place<DescriptorRules>) -> [RedirectURI] {
        places.redirects.elements.compactMap { node in
            node.scalar.map { RedirectURI(node: node, source: $0.text) }
        }
    }
}
