// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import CarnetServerTestSupport
import CarnetStoreTestSupport
import Foundation
import Testing

/// Processes whose connections to the database are delayed, cut and swallowed, and that are stopped for longer than
/// their lease, at a provider that revokes a family of tokens when one comes twice. `StoreFaults` does the same at length.
@Suite("Fault", .serialized, .enabled(if: PostgreSQLCluster.programs != nil, "PostgreSQL is not installed"))
struct FaultTests {
    @Test("no refresh token is sent twice, and no family is lost", .timeLimit(.minutes(5)))
    func LOCK_04_faultsBetweenProcessesAndTheirDatabase() async throws {
        var plan = FaultPlan()
        plan.refreshes = 600
        plan.processes = 5
        plan.accounts = 12
        plan.lease = 5000
        plan.exchange = 3000
        plan.slowest = 600
        plan.stop = 5500...7000
        plan.cut = 100...1500
        let report = try await FaultRun(plan).run()
        #expect(report.reused.isEmpty, "\(report)")
        #expect(report.lost.isEmpty, "\(report)")
        #expect(report.refreshes >= plan.refreshes)
        #expect(report.stops > 0 && report.cuts + report.halfOpens + report.delays > 0, "\(report)")
    }
}
