import ArgumentParser
import CarnetCatalog
import CarnetDescriptors

extension CompletionKind {
    /// The ids of the built-in providers.
    static var providerIDs: CompletionKind {
        .custom { _, _, _ in ProviderRegistry.builtIn.ids.map(\.rawValue) }
    }
}
