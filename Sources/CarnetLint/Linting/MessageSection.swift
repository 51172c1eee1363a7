import CarnetDescriptors

/// A section that shapes one message of the protocol, of those that the file has.
struct MessageSection: Sendable {
    let path: [String]
    let node: YAMLNode
    /// What Carnet sends or reads in it.
    let parameters: Set<String>
    /// The keys that add parameters to it.
    let additions: [String]

    /// The requests, in the order of a sign-in.
    static func requests(in root: YAMLNode) -> [MessageSection] {
        ProtocolParameters.requests.compactMap { path, parameters, additions in
            root.node(at: path).map {
                MessageSection(path: path, node: $0, parameters: parameters, additions: additions)
            }
        }
    }

    /// The one message that comes to the client.
    static func callback(in root: YAMLNode) -> MessageSection? {
        root.entry("callback").map {
            MessageSection(
                path: ["callback"], node: $0.value, parameters: ProtocolParameters.callback, additions: [])
        }
    }

    func entries(_ key: String) -> [YAMLEntry] { node.entry(key)?.value.entries ?? [] }
    func elements(_ key: String) -> [YAMLNode] { node.entry(key)?.value.elements ?? [] }

    /// The parameters that the descriptor adds.
    var added: [YAMLEntry] { additions.flatMap(entries) }
}
