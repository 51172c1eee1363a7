import ArgumentParser
import CarnetFoundation
import HTTPTypes

/// Headers that a user adds to each message for a server.
struct OwnHeaderOptions: ParsableArguments {
    @Option(
        "header", value: "name: value", "A header of each message to the server, such as 'X-Team: blue'. Repeatable.")
    var headers: [String] = []

    @Option(
        "header-env", value: "name: variable",
        "A header with the value of an environment variable, for a secret. With Authorization, nobody signs in. Repeatable."
    )
    var secretHeaders: [String] = []

    /// The headers that the protocol, the connection or a sign-in sets.
    private static let reserved: Set = [
        "accept", "connection", "content-length", "content-type", "cookie", "dpop", "host", "last-event-id",
        "proxy-authorization", "transfer-encoding", "upgrade",
    ]

    /// Whether the user has a token for the server.
    var hasAuthorization: Bool {
        secretHeaders.contains { (try? Self.parts($0, isSecret: true))?.name == .authorization }
    }

    /// - Throws: `ValidationError`.
    func check() throws {
        for (text, isSecret) in headers.map({ ($0, false) }) + secretHeaders.map({ ($0, true) }) {
            let name = try Self.parts(text, isSecret: isSecret).name
            let lower = name.rawName.lowercased()
            let isReserved = Self.reserved.contains(lower) || lower.hasPrefix("mcp-")
            try refuse(if: isReserved, "the command sets \(name.rawName) itself")
            try refuse(
                if: name == .authorization && !isSecret,
                "other users of this machine can read the arguments of a command; write --header-env 'Authorization: VARIABLE'"
            )
        }
    }

    /// - Throws: `VariableError`, `ValidationError`.
    func fields(_ environment: HostEnvironment) throws -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in try headers.map({ try Self.parts($0, isSecret: false) }) { fields[name] = value }
        for text in secretHeaders {
            let (name, variable) = try Self.parts(text, isSecret: true)
            fields[name] = try environment.variables.value(
                ofVariable: variable, at: "--header-env '\(name.rawName): VARIABLE'")
        }
        return fields
    }

    private static func parts(
        _ text: String, isSecret: Bool
    ) throws -> (name: HTTPField.Name, value: String) {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else {
            throw ValidationError(
                isSecret
                    ? "--header-env must be a header; write 'NAME: VARIABLE'"
                    : "\"\(text)\" is no header; write 'NAME: VALUE'")
        }
        return (name, String(parts[1].trimming(\.isWhitespace)))
    }
}
