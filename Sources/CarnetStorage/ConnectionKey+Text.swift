package import Carnet

extension ConnectionKey {
    /// - Throws: `TokenStoreError`, `unacceptable`: the text of a database ends at a NUL.
    package func requireNoNUL() throws {
        guard !provider.utf8.contains(0), !account.utf8.contains(0) else {
            throw TokenStoreError(.unacceptable, "a database cannot keep a provider or account name with a NUL in it")
        }
    }
}
