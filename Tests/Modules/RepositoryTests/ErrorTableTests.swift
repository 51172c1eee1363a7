import CarnetProtocol
import CarnetTestSupport
import Foundation
import Testing

/// Docs/errors.md against the enumeration that it documents.
@Suite("The table of errors")
struct ErrorTableTests {
    private struct Row {
        let kind: String
        let disposition: String
    }

    /// The rows whose first cell is a kind: a table of four columns.
    private func rows() throws -> [Row] {
        try Repository.file("Docs/errors.md").lines.compactMap { _, line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map {
                    $0.replacing(/<a id="[^"]*"><\/a>/, with: "").replacing("`", with: "")
                        .trimmingCharacters(in: .whitespaces)
                }
            guard cells.count == 4, OAuthError.Kind(rawValue: cells[0]) != nil else { return nil }
            return Row(kind: cells[0], disposition: cells[3])
        }
    }

    /// The kinds as the source declares them, because the enumeration does not list its cases.
    private func kinds() throws -> Set<String> {
        let source = try Repository.file("Sources/CarnetProtocol/Errors/OAuthError.swift").text
        let start = try #require(source.firstRange(of: "public enum Kind"))
        let body = source[start.upperBound...].prefix { $0 != "}" }
        let code = body.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: " ")
        let names = code.split(separator: "{").last?.replacing(/\bcase\b/, with: ",").split(separator: ",") ?? []
        return Set(names.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty })
    }

    @Test("Every kind has one row, and every row is a kind")
    func everyKindHasARow() throws {
        let kinds = try kinds()
        #expect(kinds.count > 50)
        for kind in kinds { #expect(OAuthError.Kind(rawValue: kind) != nil, "\(kind) was not read correctly") }
        let rows = try rows().map(\.kind)
        #expect(Set(rows) == kinds, "\(Set(rows).symmetricDifference(kinds).sorted())")
        #expect(rows.count == Set(rows).count)
    }

    @Test("Every row has the disposition of its kind")
    func dispositions() throws {
        for row in try rows() {
            let kind = try #require(OAuthError.Kind(rawValue: row.kind))
            // It depends on the server's error code.
            guard kind != .serverError else {
                #expect(row.disposition == "by code")
                continue
            }
            let error = OAuthError(.callback, kind, "")
            #expect(row.disposition == "\(error.disposition)", "\(row.kind)")
        }
    }

    /// Made from the table; with `CARNET_UPDATE_DOCS=1` in the environment it is written anew.
    @Test("The next steps are those of the table")
    func nextSteps() throws {
        let page = try Repository.file("Docs/errors.md").text
        let start = "<!-- next steps: made from the table of errors -->\n"
        let end = "<!-- end of next steps -->"
        let parts = page.components(separatedBy: start)
        try #require(parts.count == 2)
        let rest = parts[1].components(separatedBy: end)
        try #require(rest.count == 2)
        let rows = ErrorRow.all.flatMap { row in
            row.advice.map { "| `\(row.kind.rawValue)` | \($0.cause.isEmpty ? "any" : $0.cause) | \($0.text) |\n" }
        }
        let table = "\n| kind | cause | next step |\n|---|---|---|\n" + rows.joined() + "\n"
        if ProcessInfo.processInfo.environment["CARNET_UPDATE_DOCS"] == "1" {
            let current = parts[0] + start + table + end + rest[1]
            try Data(current.utf8).write(to: Repository.root.appending(path: "Docs/errors.md"))
        } else {
            #expect(rest[0] == table, "Docs/errors.md is not current; run the tests with CARNET_UPDATE_DOCS=1")
        }
    }

    @Test("The address that an error names is the anchor of its row")
    func documentation() throws {
        for kind in try kinds() {
            let kind = try #require(OAuthError.Kind(rawValue: kind))
            let parts = OAuthError(.callback, kind, "").documentation.split(separator: "#").map(String.init)
            try #require(parts.count == 2)
            let row = "| <a id=\"\(parts[1])\"></a>`\(kind.rawValue)` |"
            let found = try Repository.file(parts[0]).lines.filter { $0.text.hasPrefix(row) }
            #expect(found.count == 1, "\(kind)")
        }
    }
}
