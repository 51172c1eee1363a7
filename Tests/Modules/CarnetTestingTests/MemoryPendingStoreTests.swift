import Carnet
import CarnetTesting
import Testing

@Suite("Memory pending store")
struct MemoryPendingStoreTests {
    @Test("Conforms to the protocol", arguments: PendingStoreConformance.allCases)
    func conforms(to check: PendingStoreConformance) async throws {
        let store = MemoryPendingStore()
        try await check.run(on: store, and: store)
    }
}
