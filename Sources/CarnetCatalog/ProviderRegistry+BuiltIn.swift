public import Carnet

extension ProviderRegistry {
    /// The providers that come with Carnet. To add a provider or to override one, add a folder to a copy.
    public static let builtIn: ProviderRegistry = {
        var registry = ProviderRegistry()
        registry.add(EmbeddedProviders.files, origin: .builtIn)
        return registry
    }()
}
