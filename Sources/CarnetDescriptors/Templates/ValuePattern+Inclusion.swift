extension ValuePattern {
    /// Whether each value of another pattern has this form, too; `nil` where that takes too long to find out.
    package func includes(_ other: ValuePattern) -> Bool? {
        let borders = (program + other.program).flatMap { instruction -> [UInt32] in
            guard case .character(let set) = instruction else { return [] }
            return set.ranges.flatMap { [$0.lowerBound, $0.upperBound + 1] }
        }
        // The instructions treat all characters from one of these to the next alike.
        let characters = Set(borders + [0]).compactMap { Unicode.Scalar($0) }
        var open = [[other.reached(from: [0], isStart: true), reached(from: [0], isStart: true)]]
        var known = Set(open)
        var steps = 0
        while let now = open.popLast() {
            for character in characters {
                guard steps < 400_000 else { return nil }
                let next = [other.passed(character, in: now[0]), passed(character, in: now[1])]
                steps += (now + next).reduce(1) { $0 + $1.count }
                guard !other.isMatched(in: next[0]) || isMatched(in: next[1]) else { return false }
                if !next[0].isEmpty, known.insert(next).inserted { open.append(next) }
            }
        }
        return true
    }

    /// The instructions that can come next, without another character.
    private func reached(from indices: [Int], isStart: Bool = false, isEnd: Bool = false) -> Set<Int> {
        var all = Set<Int>()
        var open = indices
        while let index = open.popLast() {
            guard all.insert(index).inserted else { continue }
            switch program[index] {
            case .character, .match: break
            case .split(let first, let second): open += [first, second]
            case .jump(let target): open.append(target)
            case .save: open.append(index + 1)
            case .border(let needsEnd): if needsEnd ? isEnd : isStart { open.append(index + 1) }
            }
        }
        return all
    }

    private func passed(_ character: Unicode.Scalar, in indices: Set<Int>) -> Set<Int> {
        let passed = indices.filter {
            if case .character(let set) = program[$0] { set.contains(character) } else { false }
        }
        return reached(from: passed.map { $0 + 1 })
    }

    private func isMatched(in indices: Set<Int>) -> Bool {
        reached(from: Array(indices), isEnd: true).contains { program[$0] == .match }
    }
}
