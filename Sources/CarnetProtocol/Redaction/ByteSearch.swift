import CarnetDescriptors

/// Finds every place of some bytes in others, in a time that grows with the two lengths alone (Knuth, Morris and Pratt
/// 1977): both the secret and the text may be a server's choice.
struct ByteSearch {
    let pattern: [UInt8]
    /// For each beginning of the pattern, how much of the pattern's beginning it also ends with. Made once: one search
    /// looks through many texts.
    private let overlaps: [Int]

    /// - Parameter pattern: Not empty.
    init(_ pattern: [UInt8]) {
        self.pattern = pattern
        overlaps = Self.overlaps(of: pattern)
    }

    /// The offsets at which the pattern begins, in their order; they may overlap.
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
