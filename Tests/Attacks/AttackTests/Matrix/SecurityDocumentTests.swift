import CarnetTestSupport
import Foundation
import Testing

/// Each row of the matrix has a test or a reason, and `Docs/security.md` names the classes.
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

    @Test("The page names every class of attacks")
    func pageNamesTheClasses() throws {
        let page = try Repository.file("Docs/security.md").text
        let named = page.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /^\| ([A-Z]+(?:, [A-Z]+)*) \|/).map { String($0.output.1) }
        }
        let classes = Set(matrix.rows.map { String($0.id.prefix { $0 != "-" }) })
        #expect(Set(named.flatMap { $0.components(separatedBy: ", ") }) == classes)
    }
}
