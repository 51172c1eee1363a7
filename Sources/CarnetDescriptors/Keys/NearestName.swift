/// The candidate that a misspelled name most likely meant: the nearest by edits (insert, delete, replace, swap), if it is
/// near enough for its length.
public func nearestName(to name: String, in candidates: some Sequence<String>) -> String? {
    let limit = max(1, min(3, name.count / 3))
    return
        candidates
        .map { (name: $0, distance: editDistance(Array(name.lowercased()), Array($0.lowercased()))) }
        .filter { $0.distance <= limit }
        .min { ($0.distance, $0.name) < ($1.distance, $1.name) }?
        .name
}

/// The number of single edits between two texts, a swap of neighbours counting as one.
func editDistance(_ lhs: [Character], _ rhs: [Character]) -> Int {
    // A name that is very much longer cannot be near; this bounds the work on hostile keys.
    guard abs(lhs.count - rhs.count) <= 3, lhs.count <= 64 else { return max(lhs.count, rhs.count) }
    var beforePrevious: [Int] = []
    var previous = Array(0...rhs.count)
    for (i, left) in lhs.enumerated() {
        var current = [i + 1]
        for (j, right) in rhs.enumerated() {
            var best = min(current[j] + 1, previous[j + 1] + 1, previous[j] + (left == right ? 0 : 1))
            if i > 0, j > 0, left == rhs[j - 1], lhs[i - 1] == right {
                best = min(best, beforePrevious[j - 1] + 1)
            }
            current.append(best)
        }
        beforePrevious = previous
        previous = current
    }
    return previous[rhs.count]
}
