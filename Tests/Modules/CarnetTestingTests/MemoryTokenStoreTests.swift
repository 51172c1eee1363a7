import Carnet
import CarnetTesting
import Testing

@Suite("Memory token store")
struct MemoryTokenStoreTests {
    @Test("Conforms to the protocol", arguments: TokenStoreConformance.allCases)
    func conforms(to check: TokenStoreConformance) async throws {
        let store = MemoryTokenStore()
        try await check.run(on: store, and: store)
    }
}
