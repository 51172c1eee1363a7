import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// The introspection response for an account's access token.
enum IntrospectionReport {
    static func show(_ account: Account, _ console: Console) async throws {
        let session = try await account.session()
        let known = try await account.explaining { try await session.introspect() }
        var rows = [["active", known.isActive ? "yes" : "no"]]
        let texts: [(name: String, text: String?)] = [
            ("subject", known.subject), ("client id", known.clientID), ("username", known.username),
            ("issuer", known.issuer), ("audience", known.audience.joined(separator: " ")),
            ("scopes", known.scopes?.joined(separator: " ")),
            ("expires", known.expiresAt?.formatted(.iso8601)),
        ]
        for (name, text) in texts {
            if let text, !text.isEmpty { rows.append([name, text.printable]) }
        }
        for line in Table.lines(rows) { console.print(line) }
        console.print(
            json: account.json
                + JSONObject(["active": .bool(known.isActive), "introspection": .object(known.claims)]))
    }
}
