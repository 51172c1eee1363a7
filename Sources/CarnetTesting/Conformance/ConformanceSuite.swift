/// What every type of a protocol has to do, as checks for any test framework.
public protocol ConformanceSuite: Sendable {
    associatedtype Check: CaseIterable & Sendable

    /// - Throws: `ConformanceViolation`, or what the tested type throws.
    func run(_ check: Check) async throws
}

extension ConformanceSuite {
    /// Runs every check and stops at the first that fails.
    public func runAll() async throws {
        for check in Check.allCases { try await run(check) }
    }
}
