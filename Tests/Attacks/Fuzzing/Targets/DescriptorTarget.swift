import CarnetTestSupport

/// The reader, the decoder, the linter and its fixes.
struct DescriptorTarget: FuzzTarget {
    private let mutator: Mutator
    private let checker = InputCheck()

    init(corpus: [[UInt8]]) {
        mutator = Mutator(seeds: corpus + Fuzzing.examples)
    }

    func input(_ random: inout SplitMix64) -> [UInt8] { mutator.input(&random) }

    func check(_ bytes: [UInt8], index: Int) throws(InputCheck.Violation) {
        try checker.run(bytes, rendering: index.isMultiple(of: 8))
    }
}
