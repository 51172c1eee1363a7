import CarnetFoundation
import CarnetTestSupport
import Testing

@Suite("Recently used values")
struct RecentTests {
    @Test("What is used stays, and what is not used makes room")
    func use() {
        var recent = Recent<Int, String>(limit: 8)
        recent.keep("used", for: 0)
        recent.keep("unused", for: 1)
        for number in 2..<100 {
            recent.keep("other", for: number)
            #expect(recent.value(of: 0) == "used")
        }
        #expect(recent.value(of: 1) == nil)
        #expect(recent.value(of: 99) == "other")
    }

    // Beside a list of everything: a value is the last one that was kept for its key, or it is dropped.
    @Test("The size is never exceeded, and no value is an older one")
    func limit() {
        var random = SplitMix64(seed: 7)
        var recent = Recent<Int, Int>(limit: 100)
        var sizes: [Int: Int] = [:]
        var values: [Int: Int] = [:]
        for step in 0..<5_000 {
            let key = random.below(40)
            switch random.below(4) {
            case 0:
                recent.forget(key)
                values[key] = nil
            case 1:
                if let value = recent.value(of: key) { #expect(value == values[key]) }
            default:
                let size = random.below(61)
                recent.keep(step, for: key, size: size)
                (values[key], sizes[key]) = (step, size)
                #expect((recent.value(of: key) == step) == (size <= 50))
            }
            let kept = values.keys.filter { key in
                var copy = recent
                return copy.value(of: key) == values[key]
            }
            #expect(kept.count == recent.count)
            #expect(kept.reduce(0) { $0 + (sizes[$1] ?? 0) } <= 100)
        }
    }
}
