import CarnetTestSupport

/// Changes bytes a little: known inputs, with bits turned over, parts left out, repeated and mixed, and words of the
/// format put in.
struct ByteMutator: Sendable {
    let seeds: [[UInt8]]
    let words: [[UInt8]]

    init(seeds: [[UInt8]], words: [String]) {
        self.seeds = seeds
        self.words = (words + Self.common).map { Array($0.utf8) }
    }

    func input(_ random: inout SplitMix64) -> [UInt8] {
        var bytes = random.pick(seeds)
        if random.once(in: 6) {
            let other = random.pick(seeds)
            bytes = Array(bytes.prefix(random.below(bytes.count + 1)) + other.suffix(random.below(other.count + 1)))
        }
        for _ in 0..<random.pick([0, 1, 1, 1, 2, 2, 3, 5, 8]) { mutate(&bytes, &random) }
        return bytes
    }

    func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
        let place = random.below(bytes.count + 1)
        let end = min(bytes.count, place + 1 + random.below(random.once(in: 4) ? 200 : 8))
        switch random.below(9) {
        case 0: bytes.removeSubrange(place..<end)
        case 1: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        case 2 where place < bytes.count: bytes[place] ^= 1 << UInt8(random.below(8))
        case 3 where place < bytes.count: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 4: bytes.insert(contentsOf: bytes[place..<end], at: random.below(bytes.count + 1))
        case 5, 6: bytes.insert(contentsOf: random.pick(words), at: place)
        case 7: bytes.replaceSubrange(place..<end, with: random.pick(words))
        default:
            if random.once(in: 2000) {
                // Many of one thing show work that grows faster than the input.
                let part = bytes[place..<end].isEmpty ? [0x5B] : Array(bytes[place..<end])
                let many = (0..<100_000 / part.count).flatMap { _ in part }
                bytes.insert(contentsOf: many, at: place)
            } else {
                bytes.removeSubrange(place...)
            }
        }
    }

    private static let common = [
        "", " ", "\t", "\n", "\r\n", "\0", "\u{7F}", "\u{85}", "\u{2028}", "\u{202E}", "\u{FEFF}", "é", "🌱", "%", "%00",
        "%0a", "%25", "%2F", "%5c", "%2e", "%C3%A9", "%FF", "+", "&", "=", ";", ",", "\"", "'", "\\", "/", "//", "..",
        ".",
        "?", "#", ":", "@", "<", ">", "{", "}", "[", "]", "(", ")", "-", "_", "~", "*", "0", "-1", "1e999",
        "9007199254740993", "18446744073709551616", "null", "true", "A", "s3cret",
    ]
}

/// Changes JSON texts as such, so that most stay JSON.
struct JSONMutator: Sendable {
    let bytes: ByteMutator

    init(seeds: [[UInt8]], words: [String]) {
        bytes = ByteMutator(seeds: seeds, words: words.flatMap { [$0, "\"\($0)\":", "\"\($0)\""] } + Self.pieces)
    }

    func input(_ random: inout SplitMix64) -> [UInt8] {
        if random.once(in: 3) { return bytes.input(&random) }
        var text = random.pick(bytes.seeds)
        for _ in 0..<1 + random.below(3) { replaceValue(&text, &random) }
        if random.once(in: 4) { bytes.mutate(&text, &random) }
        return text
    }

    /// Puts another value behind a colon.
    private func replaceValue(_ text: inout [UInt8], _ random: inout SplitMix64) {
        let colons = text.indices.filter { text[$0] == UInt8(ascii: ":") }
        guard !colons.isEmpty else { return bytes.mutate(&text, &random) }
        let start = random.pick(colons) + 1
        let isText = start < text.count && text[start] == UInt8(ascii: "\"")
        let end =
            isText
            ? text[(start + 1)...].firstIndex(of: UInt8(ascii: "\"")).map { $0 + 1 } ?? text.count
            : text[start...].firstIndex { [UInt8(ascii: ","), UInt8(ascii: "}")].contains($0) } ?? text.count
        text.replaceSubrange(start..<end, with: random.pick(Self.values).utf8)
    }

    private static let values = [
        "null", "true", "false", "0", "-0", "1", "-1", "1.5", "1e9", "1e400", "-1e400", "3600", "1800000000",
        "9007199254740993",
        "123456789012345678901234567890", "\"\"", "\"a\"", "\"s3cret\"", "\"\\u0000\"", "\"\\ud800\"", "\"\\n\"",
        "\"https://evil.example\"", "\"https://id.acme.example\"", "\"client\"", "\"user-1\"", "[]", "[\"client\"]",
        "[\"client\",\"other\"]", "[1]", "{}", "{\"a\":{}}", "[[[[[[]]]]]]", "\"none\"", "\"HS256\"", "\"ES256\"",
        "\"2026-11-22T03:00:00Z\"", "\"3600\"", "\"bearer\"", "\"DPoP\"",
    ]

    private static let pieces = ["{", "}", "[", "]", ",", ":", "\"", "\\u0000", "\\ud800", "\\", "{\"a\":1}", "1e309"]
}
