import Carnet
import CarnetTesting
import Testing

@Suite struct MemoryPendingStoreTests {
    @Test(arguments: PendingStoreConformance.allCases)
    func conforms(to check: PendingStoreConformance) async throws {
        let store = MemoryPendingStore()
        try await check.run(on: store, and: store)
    }
}
