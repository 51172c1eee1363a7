import CarnetDescriptors
import CarnetFoundation

/// Finds all occurrences of a byte sequence in linear time (Knuth, Morris and Pratt 1977). A server may choose both
/// the secret and the text.
struct ByteSearch {
    let pattern: [UInt8]
    /// For each prefix of the pattern, the length of its longest border. It is built once: one search inspects many
    /// strings.
    private let overlaps: [Int]

    /// - Parameter pattern: Not empty.
    init(_ pattern: [UInt8]) {
        self.pattern = pattern
        overlaps = Self.overlaps(of: pattern)
    }

    /// The offsets of the occurrences, in order. They may overlap.
    func places(in text: UnsafeBufferPointer<UInt8>) -> [Int] {
        guard text.count >= pattern.count else { return [] }
        var places: [Int] = []
        var matched = 0
        for (offset, byte) in text.enumerated() {
            while matched > 0, matched == pattern.count || pattern[matched] != byte {
                Work.count()
                matched = overlaps[matched - 1]
            }
            Work.count()
            if pattern[matched] == byte { matched += 1 }
            if matched == pattern.count { places.append(offset + 1 - matched) }
        }
        return places
    }

    private static func overlaps(of pattern: [UInt8]) -> [Int] {
        var overlaps = [0]
        overlaps.reserveCapacity(pattern.count)
        var matched = 0
        for byte in pattern.dropFirst() {
            while matched > 0, pattern[matched] != byte {
                Work.count()
                matched = overlaps[matched - 1]
            }
            Work.count()
            if pattern[matched] == byte { matched += 1 }
            overlaps.append(matched)
        }
        return overlaps
    }
}
