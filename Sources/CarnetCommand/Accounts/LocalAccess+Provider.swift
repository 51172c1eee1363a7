import CarnetDescriptors
import CarnetHTTP

extension LocalAccess {
    /// The hosts that a descriptor and its inputs name: whoever runs the program chose them. What discovery names
    /// besides may not be local.
    static func named(by provider: Provider) -> LocalAccess {
        let texts = [provider.issuer].compactMap { $0 }
        let urls =
            texts.compactMap { try? WebURL($0) } + [provider.discoveryURL].compactMap { $0 }
            + provider.endpoints.values + provider.resources.map(\.url) + provider.profileRequests.map(\.url)
            + provider.apiHosts.compactMap { try? WebURL("https://\($0)") }
        let loopback = urls.contains(where: \.isLoopback) ? ["localhost", "127.0.0.1", "[::1]"] : []
        return .hosts(Set(urls.map(\.host) + loopback))
    }
}
