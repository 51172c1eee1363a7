import CarnetFoundation

/// Messages of a host of the Model Context Protocol.
enum HostMessage {
    static let initialize =
        #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"host","version":"1"}}}"#
    static let initialized = #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#

    static func call(_ id: Int, _ tool: String = "add") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"\#(tool)"}}"#
    }
}

extension CommandRun {
    /// A line of stdout, which is a message for the host.
    func message(_ number: Int) async throws -> JSONValue {
        try JSONValue(parsing: try await line(number, of: .standardOutput))
    }
}
