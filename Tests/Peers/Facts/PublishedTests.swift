import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSimulation
import CarnetTestSupport
import Testing

/// Compares each provider with the machine-readable documents that it publishes.
@Suite("The facts of published API documents")
struct PublishedTests {
    private struct Difference: Hashable, CustomStringConvertible {
        let id: String
        let key: String
        /// The URL, scope, header or pointer that differs.
        let value: String

        var description: String { "\(id) \(key) \(value)" }
    }

    private static func rows(_ name: String, columns: [String]) throws -> [[String]] {
        try FactTable.rows(name, columns: columns).map(\.row)
    }

    private static func published() throws -> [[String]] {
        try rows("published.tsv", columns: ["id", "key", "value", "origin", "date"])
    }

    private static func differences() throws -> [Difference: String] {
        var found: [Difference: String] = [:]
        for (id, rows) in Dictionary(grouping: try published(), by: \.[0]) {
            let conduct = try ProviderConduct(id)
            for (key, rows) in Dictionary(grouping: rows, by: \.[1]) {
                let values = rows.map(\.[2])
                for (value, carnet) in try differences(key, values, at: conduct) {
                    found[Difference(id: id, key: key, value: value)] = carnet
                }
            }
        }
        return found
    }

    /// What a document lacks, or has otherwise; each with what Carnet has.
    private static func differences(
        _ key: String, _ values: [String], at conduct: ProviderConduct
    ) throws -> [(value: String, carnet: String)] {
        let listed = Set(values.flatMap { $0.split(separator: " ").map(String.init) })
        switch key {
        case "authorization_endpoint": return try places(values, conduct.request(.authorization)?.place)
        case "token_endpoint": return try places(values, conduct.request(.token)?.place)
        case "refresh_endpoint": return try places(values, conduct.request(.refresh)?.place)
        case "profile_operation":
            return try places(values, conduct.request(.userinfo).map { "\($0.method) \($0.place)" })
        case "profile_header":
            let request = try conduct.request(.userinfo)
            return values.filter { request?.header($0) == nil }.map { ($0, "(not sent)") }
        case "profile_query":
            let request = try conduct.request(.userinfo)
            return values.filter { request?.parameter($0) == nil }.map { ($0, "(not sent)") }
        case "scopes":
            let scopes = conduct.provider.scopes
            // A scope without a title is from the provider's list of all its APIs, and a document is about one of them.
            let titled = scopes.catalog.filter { $0.title != nil }.map(\.id)
            let used = titled + scopes.defaults + scopes.required + scopes.offline
            return Set(used).subtracting(listed).map { ($0, "a scope") }
        case "profile_members":
            return claims(of: conduct).filter { !listed.contains($0.pointer) }.map { ($0.pointer, $0.name) }
        default: throw FactTableError(file: "published.tsv", line: 0, message: "the key \(key) is unknown")
        }
    }

    /// Compares with URLs in which `{...}` stands for anything.
    private static func places(_ values: [String], _ found: String?) -> [(value: String, carnet: String)] {
        values.filter { value in
            let parts = value.split(separator: /\{[^}]*\}/, omittingEmptySubsequences: false).map(String.init)
            guard let found, parts.count > 1 else { return value != found }
            return !(found.hasPrefix(parts[0]) && found.hasSuffix(parts[parts.count - 1]))
        }.map { ($0, found ?? "(none)") }
    }

    /// The claims that the descriptor maps from the first response, with their pointers in the whole body. A member with a
    /// name of OpenID Connect is read if it is there, and no descriptor says that it is.
    private static func claims(of conduct: ProviderConduct) -> [(name: String, pointer: String)] {
        let profile = conduct.provider.profile
        return profile.claims.flatMap { claim in
            let standard = ProfileRules.standardClaims.first { $0.name == claim.name }.map { [$0.member] }
            return claim.value.filter { $0.tokens != standard }.map { pointer in
                let tokens = (profile.root.tokens + pointer.tokens).map { Int($0) == nil ? $0 : "0" }
                return (claim.name, "\(JSONPointer(tokens: tokens))")
            }
        }
    }

    /// What the page on disagreements has about the published documents.
    static func section() throws -> String {
        let columns = ["id", "key", "value", "carnet", "reason", "source"]
        let published = try published()
        let settled = try rows("published-settled.tsv", columns: columns)
        let values = published.map {
            ["scopes", "profile_members"].contains($0[1]) ? $0[2].split(separator: " ").count : 1
        }
        let rows = settled.map { row in
            "| [\(row[0])](\(row[0]).md) | \(row[1]) | `\(row[2])` | `\(row[3])` | \(row[4]) |"
        }
        return """
            The documents that \(Set(published.map(\.[0])).count) providers publish for programs have \(values.reduce(0, +)) facts: \
            endpoints, scopes, and members of the profile. \(settled.count) of those that a descriptor uses differ:

            | Provider | Fact | Published document | Carnet | Reason |
            |---|---|---|---|---|
            \(rows.joined(separator: "\n"))

            """
    }

    @Test("Every provider does what its published document describes, or the difference is settled")
    func differences() throws {
        let columns = ["id", "key", "value", "carnet", "reason", "source"]
        let settled = try Self.rows("published-settled.tsv", columns: columns)
        let differences = try Self.differences()
        var seen = Set<Difference>()
        for row in settled {
            let difference = Difference(id: row[0], key: row[1], value: row[2])
            #expect(seen.insert(difference).inserted, "published-settled.tsv: \(difference) is settled twice")
            #expect(
                differences[difference] == row[3],
                "published-settled.tsv: \(difference): Carnet has \(differences[difference] ?? "no difference")")
        }
        for (difference, carnet) in differences where !seen.contains(difference) {
            Issue.record("published.tsv: \(difference) differs: Carnet has \(carnet)")
        }
    }

    @Test("Every row has an origin and the date of its document")
    func rows() throws {
        var seen = Set<[String]>()
        for row in try Self.published() {
            #expect(seen.insert(row).inserted, "published.tsv: \(row) is entered twice")
            #expect(row[4].wholeMatch(of: /\d{4}-\d{2}-\d{2}/) != nil, "published.tsv: \(row[0]) \(row[1]) has no date")
        }
        #expect(Set(try Self.published().map(\.[0])).count >= 30)
    }
}
