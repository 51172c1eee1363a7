package import Carnet

extension ConnectionKey {
    /// - Throws: `TokenStoreError`, `unacceptable`: a string in a database ends at a NUL.
    package func requireNoNUL() throws {
        guard !provider.utf8.contains(0), !account.utf8.contains(0) else {
            throw TokenStoreError(
                .unacceptable, "the provider or account name contains a NUL character, which a database cannot store")
        }
    }
}
