import CarnetDescriptors
import CarnetFoundation
import Testing

/// All that was said in a test, and all that was secret in it.
final class LeakSearch: Sendable {
    @TaskLocal static var current: LeakSearch?

    private let scenarios = Lock<[Scenario]>([])
    /// What was said besides: the errors.
    let output = Output()

    func add(_ scenario: Scenario) { scenarios.withLock { $0.append(scenario) } }

    /// Expects that nothing that a host could see shows a secret, or drives a terminal.
    func expectNoLeak(_ location: SourceLocation) {
        let scenarios = scenarios.withLock(\.self)
        let leaks = Leaks(of: Set(scenarios.flatMap(\.secrets)))
        let published = Set(scenarios.flatMap(\.published))
        for text in Set(scenarios.flatMap(\.output.text) + output.text) {
            let hidden = published.reduce(text) { $0.replacing($1, with: "") }
            let found = leaks.found(in: hidden)
            #expect(found.isEmpty, "a secret is shown: \(text)", sourceLocation: location)
            let isPlain = !text.utf8.contains { $0 < 0x20 || $0 == 0x7F } && !text.contains("\u{85}")
            #expect(isPlain, "a control character is shown: \(text)", sourceLocation: location)
        }
    }
}

/// Makes the search after each test of a suite. No scenario can be made in a test without it.
struct LeakSearchTrait: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let search = LeakSearch()
        defer { search.expectNoLeak(test.sourceLocation) }
        try await LeakSearch.$current.withValue(search) { try await function() }
    }
}

extension Trait where Self == LeakSearchTrait {
    static var searchedForSecrets: Self { Self() }
}
