import CarnetDescriptors
import CarnetFoundation
import CarnetTestSupport

/// Patterns of descriptors, and values that they are compared with: neither makes more work than the two lengths allow.
struct PatternTarget: FuzzTarget {
    private static let separator: UInt8 = 0x0A
    /// 1,024 instructions, each written by way of at most sixteen groups, and 256 characters that are read.
    private static let mostCompilationSteps = 1024 * 17 + 256
    private static let stepsForCharacter = 3 * 1024

    private let patterns: ByteMutator
    private let values: ByteMutator

    init(corpus: [[UInt8]]) {
        let seeds = [
            "[a-z0-9-]+\\.shops\\.example", "(eu|us|com)", "a{2,3}", "(a*)*b", "(a|aa)+b", "(?:(?:(?:){64}){64}){64}",
            "(?:a?){30}a{30}", "^[^/]*$", "[{].*[}]", "\\d+\\w\\s\\.", "(.*)(.*)(.*)b", "(?:|a){64}", "[]a-]",
        ]
        patterns = ByteMutator(
            seeds: seeds.map { Array($0.utf8) } + corpus.map { Self.halves($0).pattern },
            words: [
                "(", ")", "(?:", "{64}", "{0}", "{1,2}", "{,3}", "{999}", "{99999999999999999999}", "*", "+", "?", "|",
                "[a-",
                "[^", "]", "\\d", "\\W", "^", "$", ".", "(?:){64}",
            ])
        values = ByteMutator(
            seeds: ["acme.shops.example", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "{\"a\":1}", "eu", "12a .", ""]
                .map { Array($0.utf8) } + corpus.map { Self.halves($0).value },
            words: ["aaaaaaaa", "a", "b", "é", "\u{301}"])
    }

    private static func halves(_ bytes: [UInt8]) -> (pattern: [UInt8], value: [UInt8]) {
        let parts = bytes.split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false).map(Array.init)
        return (parts[0], parts.count == 2 ? parts[1] : [])
    }

    /// A line with a pattern, and the value.
    func input(_ random: inout SplitMix64) -> [UInt8] {
        patterns.input(&random).filter { $0 != Self.separator } + [Self.separator] + values.input(&random)
    }

    func check(_ bytes: [UInt8], index: Int) throws(InputCheck.Violation) {
        let (source, rest) = Self.halves(bytes)
        let value = String(decoding: rest, as: UTF8.self)
        let pattern: ValuePattern
        do throws(TemplateError) {
            pattern = try ValuePattern(String(decoding: source, as: UTF8.self))
        } catch {
            return try requirePrintable(error.reason)
        }
        try require(
            pattern.compilationSteps <= Self.mostCompilationSteps, "compiling takes \(pattern.compilationSteps) steps")
        let steps = pattern.steps(matching: value)
        let characters = value.unicodeScalars.count + 1
        try require(steps <= Self.stepsForCharacter * characters, "\(steps) steps for \(characters) characters")
        try require(
            value.utf8.count <= ValuePattern.longestValue || !pattern.matches(value), "a value beyond the limit passes")
        guard let captured = pattern.capture(in: value) else { return }
        try require(pattern.matches(value), "something is captured of a value that does not match")
        try require(
            captured.isEmpty || Array(value.utf8).holds(captured), "what is captured is not a part of the value")
    }
}
