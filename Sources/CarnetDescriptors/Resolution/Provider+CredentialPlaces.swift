import CarnetFoundation

/// Where the credentials of a sign-in are sent. It does not depend on what an account's sign-in brought.
struct CredentialPlaces: Sendable {
    let servers: [String]
    /// `nil` until somebody asks. A sign-in's first request needs only the others.
    fileprivate var resources: [String]?
    let showsResourcesServerSecrets: Bool

    fileprivate init(of sections: ProviderSections) {
        showsResourcesServerSecrets = sections.showsResourcesServerSecrets
        resources = showsResourcesServerSecrets ? sections.resourcePlaces : nil
        servers = sections.serverPlaces.union(resources ?? []).sorted()
    }
}

extension SharedSections {
    private func places(withResources needsResources: Bool = false) -> CredentialPlaces {
        credentialPlaces.withLock { known in
            var places = known ?? CredentialPlaces(of: sections)
            if needsResources, places.resources == nil { places.resources = sections.resourcePlaces }
            known = places
            return places
        }
    }

    /// Where refresh tokens, ID tokens and what authenticates the client are sent, as origins; `trusted_hosts` where the
    /// host of a URL is known only at run time.
    package var serverPlaces: [String] { places().servers }

    /// The same for access tokens.
    package var resourcePlaces: [String] { places(withResources: true).resources ?? [] }

    /// Whether the descriptor puts more than the access token into requests for resources: the client's secret, say.
    package var showsResourcesServerSecrets: Bool { places().showsResourcesServerSecrets }
}

extension ProviderSections {
    /// The endpoints that get refresh tokens, ID tokens or what authenticates the client.
    private static let serverEndpoints: [EndpointName] = [
        .token, .refresh, .revocation, .introspection, .endSession, .deviceAuthorization, .deviceToken,
        .pushedAuthorizationRequest,
    ]

    /// The keys of the URLs that get refresh tokens, ID tokens or what authenticates the client, each with the places of its
    /// requests.
    package var serverKeys: [(key: [String], places: Set<String>)] {
        keys(of: Self.serverEndpoints, and: exchange.map { (["exchange", $0.name, "url"], $0.value.url) })
    }

    /// The same for access tokens, without the resources that are declared.
    package var resourceKeys: [(key: [String], places: Set<String>)] {
        var urls = connection.lookups.items.map { (["connection", "lookups", $0.name, "url"], $0.value.call.url) }
        func add(_ list: [String], _ more: [Template]) {
            urls += more.enumerated().map { (list + [String($0.offset), "url"], $0.element) }
        }
        add(["connection", "on_connect"], connection.onConnect.map(\.url))
        add(["connection", "on_disconnect"], connection.onDisconnect.map(\.url))
        add(["profile", "requests"], profile.requests.map(\.lateURL))
        return keys(of: [.userinfo], and: urls)
    }

    fileprivate var serverPlaces: Set<String> { Set(serverKeys.flatMap(\.places)) }

    fileprivate var showsResourcesServerSecrets: Bool {
        let requests = ([profile.request] + profile.requests.map(\.request)).map(\.late)
        let derived = connection.derive.items.map { Named($0.name, $0.value.template) }
        let calls = connection.lookups.items.map(\.value.call) + connection.onConnect + connection.onDisconnect
        let templates =
            api.lateHeaders + api.lateParameters + lateResources.flatMap(\.resource.lateHeaders) + derived
            + requests.flatMap { $0.parameters + $0.headers } + calls.flatMap { $0.headers.items + $0.parameters.items }
        return templates.contains { $0.value.references.contains(where: \.isServerSecret) }
    }

    fileprivate var resourcePlaces: [String] {
        let declared =
            resources.map(\.target) + [resource].compactMap { $0 }
            + api.hosts.compactMap { try? WebURL("https://\($0)") }
        return lateResources.reduce(into: Set(declared.map(\.origin) + resourceKeys.flatMap(\.places))) {
            $0.formUnion(places(of: $1.resource.url))
        }.sorted()
    }

    private func keys(
        of names: [EndpointName], and templates: [(key: [String], url: Template)]
    ) -> [(key: [String], places: Set<String>)] {
        let named = names.map { name in
            let urls = [endpoints[name], endpoints.mtls[name]].compactMap { $0 }
            let late = endpoints.late[name].map(places(of:)) ?? []
            return (["endpoints", name.rawValue], late.union(urls.map(\.origin)))
        }
        return named.filter { !$0.1.isEmpty } + templates.map { ($0.key, places(of: $0.url)) }
    }

    private func places(of url: Template) -> Set<String> {
        url.origins(tables: tables) ?? Set(trustedHosts.map(\.source))
    }
}

extension TemplateReference {
    /// Whether it is a secret that no resource sees by itself.
    fileprivate var isServerSecret: Bool {
        isAlwaysSecret && origin != .request && self != TemplateReference(.token, "access_token")
    }
}

extension Template {
    /// The origins of the URLs that the template makes; `nil` if the host is known only at run time.
    fileprivate func origins(tables: NamedList<NamedList<String>>) -> Set<String>? {
        guard fixesHost else { return nil }
        var texts = [""]
        for part in parts where texts.contains(where: { !$0.hasWholeAuthority }) {
            let endings: [String]
            switch part {
            case .literal(let text): endings = [text]
            // Inputs were filled when the descriptor was resolved.
            case .input: return nil
            case .late(.literal(let text), _): endings = [text]
            case .late(.mapped(_, let table), let fallback):
                endings = (tables[table]?.items.map(\.value) ?? []) + [fallback].compactMap { $0 }
            case .late: return nil
            }
            texts = texts.flatMap { text in text.hasWholeAuthority ? [text] : endings.map { text + $0 } }
            guard texts.count <= Self.maximumOrigins else { return nil }
        }
        return Set(texts.compactMap { (try? WebURL($0))?.origin })
    }

    /// How many hosts the tables of one URL may make.
    private static var maximumOrigins: Int { 1024 }
}

extension String {
    /// Whether the host of the URL that begins so is complete.
    fileprivate var hasWholeAuthority: Bool {
        guard let scheme = firstRange(of: "://") else { return false }
        return self[scheme.upperBound...].contains { "/?".contains($0) }
    }
}
