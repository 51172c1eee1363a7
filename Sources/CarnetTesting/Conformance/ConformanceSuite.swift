/// The requirements of a protocol, as checks for any test framework.
public protocol ConformanceSuite: Sendable {
    associatedtype Check: CaseIterable & Sendable

    /// - Throws: `ConformanceViolation`, or errors of the tested type.
    func run(_ check: Check) async throws
}

extension ConformanceSuite {
    /// Runs every check and stops at the first that fails.
    public func runAll() async throws {
        for check in Check.allCases { try await run(check) }
    }
}
