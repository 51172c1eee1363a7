import CarnetDescriptors
public import CarnetFoundation

/// A requirement of the protocol that a tested type does not meet.
public struct ConformanceViolation: Error, Hashable, Sendable, Described {
    /// The name of the failed check.
    package var check: String
    package var reason: String

    package init(check: String, reason: String) {
        self.check = check
        self.reason = reason
    }

    package var summary: String { "\(check): \(reason)" }
}

/// One check while it runs.
struct CheckContext: Sendable {
    let name: String

    func require(_ condition: Bool, _ reason: @autoclosure () -> String) throws {
        guard condition else { throw violation(reason()) }
    }

    func violation(_ reason: String) -> ConformanceViolation { ConformanceViolation(check: name, reason: reason) }

    /// Runs `body`, which has to throw, and gives what it threw.
    func requireError<Result>(
        _ reason: @autoclosure () -> String,
        _ body: () async throws -> Result
    ) async throws -> any Error {
        do {
            _ = try await body()
        } catch {
            return error
        }
        throw violation(reason())
    }
}
