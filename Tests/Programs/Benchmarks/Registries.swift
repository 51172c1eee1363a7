import BenchmarkSubjects
import CarnetDescriptors

/// Ten thousand providers in one registry.
enum Registries {
    private static let count = 10_000

    static func rows() async throws -> [Row] {
        let files = (1...count).map {
            SourceFile(path: "acme\($0).yaml", text: DescriptorCorpus.descriptor($0))
        }
        let (thousand, all) = (Array(files.prefix(count / 10)), files)
        let load = try await Comparison(
            "loading 10,000 descriptors", against: "loading 1,000, ten times", rounds: 5, runs: 1, of: count, goal: 1.1
        ) {
            _ = try loaded(all, count: count)
        } floorBody: {
            for _ in 0..<10 { _ = try loaded(thousand, count: count / 10) }
        }
        let registry = try loaded(all, count: count)
        let ids = stride(from: 1, through: count, by: 97).map { ProviderID(rawValue: "acme\($0)") }
        let descriptors = try ids.map { try registry.entry(named: $0.rawValue).descriptor }
        let inputs = descriptors.map { $0.exampleInputs() }
        return [
            load.row,
            try await cost("a lookup among 10,000", goal: 1, of: ids.count) {
                for id in ids { _ = try registry.descriptor(id) }
            },
            try await cost("resolving a descriptor with its inputs", goal: 20, of: ids.count) {
                for (descriptor, inputs) in zip(descriptors, inputs) { _ = try descriptor.resolve(inputs: inputs) }
            },
        ]
    }

    private static func loaded(_ files: [SourceFile], count: Int) throws -> ProviderRegistry {
        var registry = ProviderRegistry()
        registry.add(files, origin: .folder("corpus"))
        guard registry.ids.count == count else { throw BenchmarkFailure(reason: "the corpus is broken") }
        return registry
    }

    /// Processor time in microseconds.
    private static func cost(
        _ work: String, goal: Double, of count: Int, _ body: () throws -> Void
    ) async throws -> Row {
        let runs = 50
        let values = try (0..<15).map { _ in
            let start = ProcessCost.processorTime
            for _ in 0..<runs { try body() }
            return (ProcessCost.processorTime - start) * 1e6 / Double(runs * count)
        }
        return Row(work: work, unit: "µs", values: values, goal: goal)
    }
}
