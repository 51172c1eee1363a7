import CarnetFoundation
import Testing

@testable import CarnetDescriptors

@Suite("Concurrent map")
struct ConcurrentMapTests {
    @Test("Each element is mapped once and in its place", arguments: [0, 1, 2, 15, 16, 17, 255, 256, 257, 1000])
    func eachElementIsMappedOnce(count: Int) {
        #expect(Array(0..<count).concurrentMap { $0 * 2 } == (0..<count).map { $0 * 2 })
    }
}
