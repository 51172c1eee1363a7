import Carnet
import CarnetTesting
import Testing

@Suite struct MemoryTokenStoreTests {
    @Test(arguments: TokenStoreConformance.Check.allCases)
    func conforms(to check: TokenStoreConformance.Check) async throws {
        let conformance = TokenStoreConformance {
            let store = MemoryTokenStore()
            return (store, store)
        }
        try await conformance.run(check)
    }
}
