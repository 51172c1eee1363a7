/// The candidate that a misspelled name most likely meant: the nearest by edits (insert, delete, replace, swap), if it is
/// near enough for its length. The case of ASCII letters does not count.
///
/// - Parameter most: How many edits a long name may have.
package func nearestName(to name: String, in candidates: some Sequence<String>, within most: Int = 3) -> String? {
    let written = FoldedName(name)
    // A name this long is no slip of the pen; the bound is for hostile ones.
    guard written.bytes.count <= 64 else { return nil }
    var limit = max(1, min(most, written.bytes.count / 3))
    var nearest: String?
    for candidate in candidates where written.mayBeWithin(limit, of: candidate) {
        guard let distance = written.distance(to: FoldedName(candidate), within: limit) else { continue }
        if let known = nearest, distance == limit, known <= candidate { continue }
        (nearest, limit) = (candidate, distance)
    }
    return nearest
}

/// A name whose letters are all small.
private struct FoldedName {
    let bytes: [UInt8]

    init(_ name: String) {
        bytes = name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }

    /// A cheap bound that keeps most names from being compared at all: each edit changes the length by at most one, and
    /// at most two of the letters that occur.
    func mayBeWithin(_ limit: Int, of candidate: String) -> Bool {
        guard abs(candidate.utf8.count - bytes.count) <= limit else { return false }
        return (Self.letters(candidate.utf8) ^ Self.letters(bytes)).nonzeroBitCount <= 2 * limit
    }

    /// A bit for each letter that occurs, large or small.
    private static func letters(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 | 1 << UInt32($1 & 0x1F) }
    }

    /// The number of edits between two names, a swap of neighbours counting as one; `nil` if there are more.
    func distance(to other: FoldedName, within limit: Int) -> Int? {
        let width = other.bytes.count + 1
        var beforePrevious = [Int](repeating: 0, count: width)
        var previous = Array(0..<width)
        var current = beforePrevious
        for (i, left) in bytes.enumerated() {
            current[0] = i + 1
            var least = current[0]
            for (j, right) in other.bytes.enumerated() {
                var best = min(current[j] + 1, previous[j + 1] + 1, previous[j] + (left == right ? 0 : 1))
                if i > 0, j > 0, left == other.bytes[j - 1], bytes[i - 1] == right {
                    best = min(best, beforePrevious[j - 1] + 1)
                }
                current[j + 1] = best
                least = min(least, best)
            }
            guard least <= limit else { return nil }
            (beforePrevious, previous, current) = (previous, current, beforePrevious)
        }
        return previous[width - 1] <= limit ? previous[width - 1] : nil
    }
}
