public import Carnet

extension ProviderRegistry {
    /// The providers that come with Carnet. Add folders to a copy to have more, or to replace one.
    public static let builtIn: ProviderRegistry = {
        var registry = ProviderRegistry()
        registry.add(EmbeddedProviders.files, origin: .builtIn)
        return registry
    }()
}
