import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol
import CarnetSimulation
import CarnetTestSupport
import Foundation
import Testing

@testable import CarnetCommand

/// Descriptors of the whole grammar: what lint accepts, the engine resolves, and `carnet try` signs in with it at the sandbox.
/// The seed is new in each run; `CARNET_SEED` repeats one, and `CARNET_CASES` multiplies the cases. Without `CARNET_GRAMMAR`,
/// only the cases of one seed are tried, so that no run fails for a shape that nobody has seen before.
@Suite("What lint says of the whole grammar")
struct GrammarTests {
    private static let count = 60

    /// What came of one seed.
    private struct Case: Sendable {
        var disagreements: [String] = []
        var keys = Set<String>()
        var isClean = false
    }

    private static let triesAll = ProcessInfo.processInfo.environment["CARNET_GRAMMAR"] != nil

    @Test("What lint accepts works, and what the engine refuses lint reports")
    func agreement() async throws {
        print("The grammar's seed: CARNET_SEED=\(Budget.seed)")
        let cases = await Self.check(Self.count * Budget.factor, from: Budget.seed, tries: Self.triesAll)
        // Most descriptors are accepted, and they have many keys: otherwise, nothing is compared.
        #expect(cases.count(where: \.isClean) > cases.count / 2)
        let keys = cases.reduce(into: Set<String>()) { $0.formUnion($1.keys) }
        #expect(keys.count > 150, "\(keys.count) keys: \(keys.sorted())")
    }

    @Test("What lint accepts signs in")
    func trial() async throws {
        let cases = await Self.check(Self.count, from: 1, tries: true)
        #expect(cases.count(where: \.isClean) > cases.count / 2)
    }

    /// Records the disagreements of some cases.
    private static func check(_ count: Int, from first: UInt64, tries: Bool) async -> [Case] {
        let cases = await withTaskGroup(of: Case.self, returning: [Case].self) { group in
            for index in 0..<count {
                group.addTask { await Self.check(seed: first &+ UInt64(index), tries: tries) }
            }
            var cases: [Case] = []
            for await next in group { cases.append(next) }
            return cases
        }
        for disagreement in cases.flatMap(\.disagreements) { Issue.record(Comment(rawValue: disagreement)) }
        return cases
    }

    private static func check(seed: UInt64, tries: Bool) async -> Case {
        var result = Case()
        let root = GrammarDescriptor.growing(seed: seed) { root in
            guard errors(in: root).isEmpty else { return false }
            // What has no example is a finding of its own, and the value that is made up may not fit.
            guard isSimulated(root), let problem = problemOfReading(root) else { return true }
            result.disagreements.append("CARNET_SEED=\(seed): lint accepts \(root.jsonText()): \(problem)")
            return false
        }
        guard errors(in: root).isEmpty else { return result }
        (result.isClean, result.keys) = (true, keys(of: root))
        if tries, isSimulated(root), let failure = await failure(of: root) {
            let small = await shrunk(root, failure)
            result.disagreements.append(
                "CARNET_SEED=\(seed): lint accepts \(small.root.jsonText()), and try says: \(small.failure)")
        }
        return result
    }

    // MARK: Lint

    private static func file(_ root: JSONValue) -> SourceFile { SourceFile(path: "odd.yaml", text: root.jsonText()) }

    static func errors(in root: JSONValue) -> [Diagnostic] {
        Linter(simulator: SampleSimulator()).diagnostics(in: [file(root)]).filter {
            $0.severity == .error
        }
    }

    /// Whether lint knows a value for all that the sandbox needs.
    private static func isSimulated(_ root: JSONValue) -> Bool {
        !Linter(simulator: SampleSimulator()).diagnostics(in: [file(root)]).contains {
            $0.code == "R001"
        }
    }

    /// Why a descriptor that lint accepts cannot be resolved.
    private static func problemOfReading(_ root: JSONValue) -> String? {
        guard let descriptor = DescriptorDocument(file(root)).descriptor else { return "it cannot be read" }
        do {
            for environment in [nil] + descriptor.environmentNames.map(Optional.some) {
                let variant = try descriptor.variant(environment)
                _ = try variant.resolve(inputs: variant.simulatedInputs().values)
            }
            return nil
        } catch {
            return "\(error)"
        }
    }

    // MARK: Try

    /// What goes wrong when all grants of a provider are tried.
    static func failure(of root: JSONValue) async -> String? {
        var registry = ProviderRegistry()
        registry.add([file(root)])
        do {
            let entry = try registry.entry(named: "odd")
            for environment in [nil] + entry.descriptor.environmentNames.map(Optional.some) {
                let setup = try TrialSetup(entry, inputs: [:], environment: environment, redirectURI: nil)
                var failures: [String] = []
                let result = await
                    (try Trial(setup) { step in
                        if case .failed(let failure) = step.outcome {
                            let text = failure.lines { text, _ in text }.joined(separator: "; ")
                            let sent = step.exchanges.last.map { "\($0.request)" } ?? "nothing"
                            failures.append("\(step.title): \(text); sent: \(sent)")
                        }
                    }).run()
                if result.hasFailed { return failures.joined(separator: "\n") }
            }
            return nil
        } catch {
            return "\(error)"
        }
    }

    // MARK: Shrinking

    /// The descriptor without what the failure does not need.
    private static func shrunk(_ root: JSONValue, _ failure: String) async -> (root: JSONValue, failure: String) {
        var (root, failure) = (root, failure)
        var isSmaller = true
        while isSmaller {
            isSmaller = false
            for place in places(in: root) {
                let candidate = root.without(place)
                guard errors(in: candidate).isEmpty, isSimulated(candidate),
                    let still = await Self.failure(of: candidate)
                else { continue }
                (root, failure, isSmaller) = (candidate, still, true)
                break
            }
        }
        return (root, failure)
    }

    private static func places(in value: JSONValue, at path: [String] = []) -> [[String]] {
        (value.object?.members ?? []).flatMap { member in
            [path + [member.name]] + places(in: member.value, at: path + [member.name])
        }
    }

    private static func keys(of root: JSONValue) -> Set<String> {
        Set(places(in: root).map { $0.joined(separator: ".") })
    }
}

extension JSONValue {
    fileprivate func without(_ path: [String]) -> JSONValue {
        guard let name = path.first, var object = self.object else { return self }
        object[name] = path.count == 1 ? Optional.none : object[name]?.without(Array(path.dropFirst()))
        return .object(object)
    }
}
