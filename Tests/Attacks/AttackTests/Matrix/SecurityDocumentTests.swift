import CarnetTestSupport
import Foundation
import Testing

/// Docs/security.md shows every row with its tests. The words before and after the table are written by hand.
@Suite("Security document")
struct SecurityDocumentTests {
    private let matrix: Matrix

    init() throws {
        matrix = try Matrix()
    }

    @Test("Every row has a test or a reason")
    func everyRowHasATestOrAReason() {
        for row in matrix.rows {
            let isMounted = matrix.tests[row.id] != nil
            #expect(
                isMounted != (row.reason != nil),
                "\(row.id) has a test: \(isMounted); a reason: \(row.reason ?? "none")")
            #expect(["A", "B", "C"].contains(row.level), "\(row.id)")
        }
    }

    @Test("IDs are unique and known")
    func idsAreUniqueAndKnown() {
        let ids = matrix.rows.map(\.id)
        #expect(Set(ids).count == ids.count)
        for id in matrix.tests.keys { #expect(ids.contains(id), "no row is called \(id)") }
    }

    @Test("Page shows the tests")
    func pageShowsTheTests() throws {
        let file = Repository.root.appending(path: "Docs/security.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let parts = page.components(separatedBy: Self.mark)
        try #require(parts.count == 3, "Docs/security.md has not two lines \(Self.mark)")
        let fresh = [parts[0], table, parts[2]].joined(separator: Self.mark)
        if ProcessInfo.processInfo.environment["CARNET_UPDATE_DOCS"] == "1" {
            try fresh.write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(page == fresh, "Docs/security.md is not current: run with CARNET_UPDATE_DOCS=1")
        }
    }

    private static let mark = "<!-- made from the tests -->"

    private var table: String {
        var text = "\n\n\(summary)\n"
        for section in matrix.sections {
            text += "\n### \(section.title)\n\n| Row | Level | Attack | Tests |\n|---|---|---|---|\n"
            for row in section.rows {
                text += "| \(row.id) | \(row.level) | \(row.attack) | \(tests(of: row)) |\n"
            }
        }
        return text + "\n"
    }

    private var summary: String {
        let functions = matrix.tests.values.map(\.count).reduce(0, +)
        let mounted = matrix.rows.filter { matrix.tests[$0.id] != nil }.count
        return "\(matrix.rows.count) attacks; \(functions) tests run \(mounted) of them."
    }

    private func tests(of row: Matrix.Row) -> String {
        guard let tests = matrix.tests[row.id] else { return "none: \(row.reason ?? "")" }
        return tests.map { test in
            let name = test.function.split(separator: "_", maxSplits: 2).last ?? ""
            return "[\(name)](../\(test.file))"
        }.joined(separator: ", ")
    }
}
