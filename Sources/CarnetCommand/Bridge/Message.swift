import CarnetFoundation

/// A line of the host or a message of the server: what the bridge has to know of it. JSON-RPC 2.0.
struct Message {
    typealias ID = ByteKey

    /// The message as it came, in one line.
    let bytes: [UInt8]
    /// One; several in a batch, which revision 2025-03-26 had.
    private let parts: [JSONMembers]

    /// - Returns: `nil` if the bytes are not a message.
    init?(_ bytes: some Collection<UInt8>) {
        // A reader may ignore a byte order mark (RFC 8259, section 8.1). JSON has line breaks between its tokens only.
        let text = bytes.dropFirst(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        let line = text.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
        if let message = JSONMembers(line[...]) {
            parts = [message]
        } else {
            let parts = (JSONMembers.elements(line[...]) ?? []).compactMap { JSONMembers($0) }
            guard !parts.isEmpty else { return nil }
            self.parts = parts
        }
        self.bytes = line
    }

    /// Whether it is one of JSON-RPC: some servers respond with `{}` to what has no response.
    var isMessage: Bool {
        parts.contains { $0["method"] != nil || $0["result"] != nil && $0["id"] != nil || $0["error"] != nil }
    }

    /// The message, unless it is a batch.
    var members: JSONMembers? { parts.count == 1 ? parts[0] : nil }

    var method: String? { members?.string("method") }

    var requests: [ID] { parts.filter { $0["method"] != nil }.compactMap(Self.id) }

    /// The requests that it responds to.
    var responses: [ID] { parts.filter { $0["method"] == nil }.compactMap(Self.id) }

    private static func id(_ members: JSONMembers) -> ID? { members["id"].flatMap(id) }

    /// An id in one way of writing it.
    static func id(_ bytes: ArraySlice<UInt8>) -> ID? {
        switch try? JSONValue(parsing: bytes) {
        case .string(let text)?: ID(JSONValue.string(text).jsonText())
        case .number(let digits)?: ID(digits)
        default: nil
        }
    }

    /// The response to a request that the bridge could not complete. The code is JSON-RPC's for an internal error: others
    /// belong to the server.
    static func failure(of id: ID, _ text: String) -> [UInt8] {
        let message = JSONValue.string(text).jsonText()
        return Array(#"{"jsonrpc":"2.0","id":\#(id.text),"error":{"code":-32603,"message":\#(message)}}"#.utf8)
    }
}
