import Carnet
import CarnetTesting
import Testing

@Suite struct MemoryPendingStoreTests {
    @Test(arguments: PendingStoreConformance.Check.allCases)
    func conforms(to check: PendingStoreConformance.Check) async throws {
        let conformance = PendingStoreConformance {
            let store = MemoryPendingStore()
            return (store, store)
        }
        try await conformance.run(check)
    }
}
