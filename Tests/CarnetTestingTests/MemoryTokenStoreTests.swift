import Carnet
import CarnetTesting
import Testing

@Suite struct MemoryTokenStoreTests {
    @Test(arguments: TokenStoreConformance.allCases)
    func conforms(to check: TokenStoreConformance) async throws {
        let store = MemoryTokenStore()
        try await check.run(on: store, and: store)
    }
}
