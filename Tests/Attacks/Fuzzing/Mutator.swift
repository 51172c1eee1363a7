import CarnetDescriptors
import CarnetTestSupport

/// Makes inputs that are nearly right: known texts with a few changes, descriptors made from the schema, and mixtures.
struct Mutator {
    private let seeds: [[UInt8]]
    private let instances: InstanceGenerator
    private let words: [String]

    init(seeds: [[UInt8]]) {
        self.seeds = seeds
        instances = InstanceGenerator()
        words = instances.words
    }

    func input(_ random: inout SplitMix64) -> [UInt8] {
        var bytes: [UInt8]
        switch random.below(4) {
        case 0: bytes = Array(instances.text(&random).utf8)
        case 1: bytes = spliced(&random)
        default: bytes = random.pick(seeds)
        }
        for _ in 0..<random.pick([0, 1, 1, 2, 2, 3, 5, 8]) { mutate(&bytes, &random) }
        return bytes
    }

    /// The first lines of one seed and the last of another.
    private func spliced(_ random: inout SplitMix64) -> [UInt8] {
        let head = lines(random.pick(seeds))
        let tail = lines(random.pick(seeds))
        return Array((head.prefix(random.below(head.count + 1)) + tail.suffix(random.below(tail.count + 1))).joined())
    }

    private func lines(_ bytes: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = [[]]
        for byte in bytes {
            lines[lines.count - 1].append(byte)
            if byte == UInt8(ascii: "\n") { lines.append([]) }
        }
        return lines
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
        switch random.below(10) {
        case 0, 1: mutateBytes(&bytes, &random)
        case 2, 3: mutateLines(&bytes, &random)
        case 4: bytes.insert(contentsOf: random.pick(Self.pieces).utf8, at: random.below(bytes.count + 1))
        case 5: bytes.insert(contentsOf: random.pick(words).utf8, at: random.below(bytes.count + 1))
        case 6: replaceWord(&bytes, by: random.pick(words), &random)
        case 7: replaceWord(&bytes, by: random.pick(InstanceGenerator.texts), &random)
        case 8: insertEntry(&bytes, &random)
        default: mutateWhole(&bytes, &random)
        }
    }

    private func mutateBytes(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
        let place = random.below(bytes.count + 1)
        switch random.below(4) {
        case 0: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(20)))
        case 1: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        case 2 where place < bytes.count: bytes[place] ^= 1 << UInt8(random.below(8))
        default:
            let end = min(bytes.count, place + 1 + random.below(40))
            bytes.insert(contentsOf: bytes[place..<end], at: random.below(bytes.count + 1))
        }
    }

    private func mutateLines(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
        var lines = lines(bytes)
        let index = random.below(lines.count)
        switch random.below(5) {
        case 0 where random.once(in: 10_000):
            // Many of one thing show work that grows faster than the file.
            let copies = 200_000 / max(10, lines[index].count)
            lines.insert(contentsOf: repeatElement(lines[index], count: copies), at: index)
        case 0: lines.remove(at: index)
        case 1: lines.insert(lines[index], at: random.below(lines.count + 1))
        case 2: lines.swapAt(index, random.below(lines.count))
        case 3: lines[index].insert(contentsOf: [0x20, 0x20].prefix(1 + random.below(2)), at: 0)
        default: lines[index] = Array(lines[index].drop { $0 == 0x20 })
        }
        bytes = Array(lines.joined())
    }

    /// Replaces what stands between two characters of YAML's own.
    private func replaceWord(_ bytes: inout [UInt8], by word: String, _ random: inout SplitMix64) {
        let separators = Set(" \n\r\t:,[]{}'\"#&*".utf8)
        guard !bytes.isEmpty else { return }
        let place = random.below(bytes.count)
        let start = bytes[..<place].lastIndex { separators.contains($0) }.map { $0 + 1 } ?? 0
        let end = bytes[place...].firstIndex { separators.contains($0) } ?? bytes.count
        bytes.replaceSubrange(start..<max(start, end), with: word.utf8)
    }

    private func insertEntry(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
        var lines = lines(bytes)
        let index = random.below(lines.count)
        let indentation = lines[index].prefix { $0 == 0x20 }
        let entry = instances.entry(&random)
        lines.insert(indentation + Array("\(entry)\n".utf8), at: index)
        bytes = Array(lines.joined())
    }

    private func mutateWhole(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
        switch random.below(7) {
        case 0: bytes = Array(String(decoding: bytes, as: UTF8.self).replacing("\n", with: "\r\n").utf8)
        case 1: bytes = Array(String(decoding: bytes, as: UTF8.self).replacing("\n", with: "\r").utf8)
        case 2: bytes = [0xEF, 0xBB, 0xBF] + bytes
        case 3: bytes = Array("# 🌱 名前\t\n".utf8) + bytes
        case 4: bytes += Array("extends: \(random.pick(["base", "acme", "none", "''", "[base]"]))\n".utf8)
        case 5:
            let code = random.pick(["E001", "S003", "C001", "D004", "X999", ""])
            let place = random.pick(["", "-next-line"])
            let comment = "# carnet-lint-disable\(place) \(code)\(random.pick([":", ": why", ""]))\n"
            var lines = lines(bytes)
            lines.insert(Array(comment.utf8), at: random.below(lines.count + 1))
            bytes = Array(lines.joined())
        default: bytes.removeSubrange(random.below(bytes.count + 1)...)
        }
    }

    private static let pieces: [String] = [
        ":", ": ", "- ", "? ", "[", "]", "{", "}", ",", "&a ", "*a", "!!str ", "!x ", "|", ">", "'", "\"", "#", " # ",
        "\n", "\r\n", "\r", "\t", " ", "  ", "---\n", "...\n", "%YAML 1.2\n", "%TAG ! x:\n", "<<: ", "\u{FEFF}", "é",
        "🌱",
        "\u{2028}", "\u{0}", "\\", "@", "`", "~", "null", "\n\n  ", "|2-\n", "{{", "}}", "\u{202E}", "👩‍👩‍👧",
        "\u{1F3F3}\u{FE0F}",
        "%", "\u{85}", "\u{7F}", "9999999999999999999999",
    ]
}
