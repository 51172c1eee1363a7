import CarnetFoundation
import CarnetProtocol
import HTTPTypes

/// What the Model Context Protocol says of a message's HTTP request: revision 2026-07-28 (transports, "Streamable HTTP"), and
/// the sessions of the revisions before it (2025-11-25).
enum MessageHeaders {
    static let session = name("Mcp-Session-Id")
    static let revision = name("MCP-Protocol-Version")
    static let lastEventID = name("Last-Event-ID")
    private static let method = name("Mcp-Method")
    private static let subject = name("Mcp-Name")

    static let initialize = "initialize"
    static let initialized = "notifications/initialized"
    static let cancelled = "notifications/cancelled"

    private static func name(_ text: String) -> HTTPField.Name { HTTPField.Name(text) ?? .accept }

    /// The revision that a message itself names, as messages do since 2026-07-28.
    static func revision(of message: Message) -> String? {
        message.members?.object("params")?.object("_meta")?.string("io.modelcontextprotocol/protocolVersion")
    }

    /// The fields of a POST request.
    ///
    /// - Parameter negotiated: The session and revision of an earlier `initialize`.
    static func fields(of message: Message, _ negotiated: ServerSession) -> HTTPFields {
        var fields: HTTPFields = [.accept: "application/json, text/event-stream", .contentType: "application/json"]
        guard let revision = revision(of: message) else {
            if message.method != initialize { negotiated.add(to: &fields) }
            return fields
        }
        fields[Self.revision] = revision
        if let method = message.method {
            fields[Self.method] = method
            let member = ["tools/call": "name", "prompts/get": "name", "resources/read": "uri"][method]
            if let member, let name = message.members?.object("params")?.string(member) {
                fields[subject] = value(name)
            }
        }
        return fields
    }

    private static func isSpace(_ byte: UInt8?) -> Bool { byte == UInt8(0x20) || byte == UInt8(0x09) }

    /// A value that may have any characters.
    static func value(_ text: String) -> String {
        let isPlain =
            text.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 }
            && !isSpace(text.utf8.first) && !isSpace(text.utf8.last)
        guard !isPlain || text.hasPrefix("=?base64?") && text.hasSuffix("?=") else { return text }
        return "=?base64?\(Data(text.utf8).base64EncodedString())?="
    }
}

/// What an `initialize` of the host led to. Revision 2026-07-28 has no sessions.
struct ServerSession: Sendable {
    /// The host's request, to begin again with when the server has forgotten the session.
    var request: [UInt8]?
    var id: String?
    var revision: String?
    var number = 0

    func add(to fields: inout HTTPFields) {
        if let id { fields[MessageHeaders.session] = id }
        if let revision { fields[MessageHeaders.revision] = revision }
    }

    /// A value that the server chose: visible ASCII characters, as the protocol demands.
    static func value(_ text: String?) -> String? {
        text.flatMap {
            !$0.isEmpty && $0.utf8.count <= 1024 && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? $0 : nil
        }
    }
}
