import Foundation
import Testing

/// Each row of the matrix has a test or a reason, and stands in a section that names its class.
@Suite("The matrix of attacks")
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

    @Test("The title of a section names the classes of its rows")
    func titlesNameTheClasses() {
        #expect(matrix.sections.count > 20)
        for section in matrix.sections {
            let named = section.title.prefix { $0 != ":" }.components(separatedBy: ", ")
            let classes = Set(section.rows.map { String($0.id.prefix { $0 != "-" }) })
            #expect(Set(named) == classes, "\(section.title)")
        }
    }
}
