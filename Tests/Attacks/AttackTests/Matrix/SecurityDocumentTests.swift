import Testing

/// Each row of the matrix has a test or a reason.
@Suite("Matrix of attacks")
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
}
