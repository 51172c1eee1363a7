import CarnetFoundation

extension ProviderDescriptor {
    /// The hosts that the descriptor itself names, in lower case: none that an input brings, or discovery.
    package var ownHosts: Set<String> {
        let endpoints = EndpointName.allCases.compactMap { self.endpoints[$0] }
        // The issuer of a resource may have come from the network, so it is as local as the resource itself and no more.
        let issuer = self.resource == nil ? self.issuer : nil
        let templates =
            [self.resource, issuer, self.discoveryURL, self.api.baseURL].compactMap { $0 } + endpoints
            + self.resources.map(\.url)
        return Set(templates.compactMap(\.literalHost) + self.api.hosts.compactMap { Template.host(in: $0.source) })
    }
}

extension Template {
    /// The host of a URL that has no place in its host.
    fileprivate var literalHost: String? {
        guard let start = source.firstRange(of: "://")?.upperBound else { return nil }
        return Self.host(in: source[start...].prefix { !"/?#".contains($0) })
    }

    fileprivate static func host(in authority: some StringProtocol) -> String? {
        authority.contains("{") ? nil : (try? WebURL("https://\(authority)"))?.host
    }
}

extension ProviderSections {
    /// The hosts that the descriptor and its inputs name, in lower case, before discovery.
    package var namedHosts: Set<String> {
        let issuer = self.resource ?? self.issuer.flatMap { try? WebURL($0) }
        let places = [issuer, discoveryURL].compactMap { $0 } + endpoints.urls.values
        let further = resources.map(\.target) + profile.requests.compactMap(\.url)
        let urls = places + further + api.hosts.compactMap { try? WebURL("https://\($0)") }
        let loopback = urls.contains(where: \.isLoopback) ? ["localhost", "127.0.0.1", "[::1]"] : []
        return Set(urls.map { $0.host.lowercased() } + loopback)
    }
}
