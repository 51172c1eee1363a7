import CarnetDescriptors
import CarnetFoundation

extension DescriptorComparison {
    /// Compares where tokens go: Carnet sends those of a sign-in only to the origins that were named at that time.
    mutating func comparePlaces() {
        let help =
            "requests of earlier sign-ins fail until their users sign in again; keep the old server while it works, or write the new one under another id"
        let known = old.serverAuthorities
        for name in EndpointName.allCases where !ProviderDescriptor.pages.contains(name) {
            let was = old.endpoints[name] ?? (name == .refresh || name == .deviceToken ? old.endpoints[.token] : nil)
            guard let was = was?.authority(in: old), let url = new.endpoints[name], let now = url.authority(in: new),
                now != was, name == .userinfo || !known.contains(now)
            else { continue }
            compare(.moved, "endpoints.\(name.rawValue)", "at \(was)", "at \(now)", help)
        }
        for step in new.exchange.items {
            guard let was = old.exchange[step.name]?.url.authority(in: old),
                let now = step.value.url.authority(in: new),
                now != was, !known.contains(now)
            else { continue }
            compare(.moved, "exchange.\(step.name).url", "at \(was)", "at \(now)", help)
        }
        compare(.moved, ["api", "hosts"], "API host", lost: old.api.hosts.map(\.source), from: new.apiHosts, help)
        compare(
            .moved, ["trusted_hosts"], "trusted host", lost: old.trustedHosts.map(\.source),
            from: new.trustedHosts.map(\.source), help)
        if let url = old.api.baseURL {
            compare(
                .moved, "api.base_url", url.source, new.api.baseURL?.source,
                "programs complete it with their own paths, and tokens of earlier sign-ins do not go to another server; keep it, or write the new API under another id"
            )
        }
        compareAudience()
    }

    private mutating func compareAudience() {
        let help = "the API refuses the tokens of earlier sign-ins; keep it, or write the new audience under another id"
        compare(.moved, "resource", old.resource?.source, new.resource?.source, help)
        for (section, was, now) in [
            ("authorization", old.authorization.parameters, new.authorization.parameters),
            ("token", old.token.request.parameters, new.token.request.parameters),
            (
                "client_credentials", old.clientCredentials.request.parameters,
                new.clientCredentials.request.parameters
            ),
        ] {
            for name in ["audience", "resource"] where was.contains(name) {
                compare(.moved, "\(section).parameters.\(name)", was[name]?.source, now[name]?.source, help)
            }
        }
        compare(
            .moved, "access_token.audience", old.accessToken.audience, new.accessToken.audience,
            "a resource server refuses tokens that it accepted; keep the claim")
    }

    mutating func compareRefresh() {
        let help =
            "stored refresh tokens are now sent in this form, while nobody is present; keep the old form, or test the new one with a token of an earlier sign-in"
        let (was, now) = (RefreshForm(old), RefreshForm(new))
        for (key, value) in was.values {
            let next = now.values.first { $0.key == key }?.value ?? ""
            if value != next { compare(.refresh, "refresh.\(key)", value, next, help) }
        }
        compare(
            .refresh, ["refresh", "parameters"], "parameter of the refresh", lost: old.refresh.request.parameters.names,
            from: new.refresh.request.parameters.names, help)
    }

    mutating func compareAbilities() {
        func help(_ action: String) -> String { "programs that \(action) fail; keep it while the provider has it" }
        if !new.canDiscover {
            let names = EndpointName.allCases.filter { ![.refresh, .deviceToken].contains($0) }
            compare(
                .ability, ["endpoints"], "endpoint", lost: names.filter { old.endpoints[$0] != nil }.map(\.rawValue),
                from: names.filter { new.endpoints[$0] != nil }.map(\.rawValue), help("use it"))
        }
        compare(.ability, ["id"], "grant", lost: old.grantSections, from: new.grantSections, help("use it"))
        if !new.redirects.isEmpty {
            let all = old.redirects.isEmpty ? ["any other"] : old.redirects.map(\.description)
            compare(
                .ability, ["redirects"], "form of redirect URI", lost: all, from: new.redirects.map(\.description),
                "registrations with such a redirect URI no longer sign in; keep it while the provider accepts it")
        }
        compare(
            .ability, ["environments"], "environment", lost: old.environmentNames, from: new.environmentNames,
            help("select it"))
        compare(
            .ability, ["token", "response", "token_sets"], "token set", lost: old.token.response.tokenSets.names,
            from: new.token.response.tokenSets.names, help("use its session"))
        compare(.ability, ["profile", "claims"], "claim", lost: lostClaims, from: [], help("read it"))
        compare(
            .ability, ["connection"], "value of a sign-in", lost: old.keptValues.map(\.description).sorted(),
            from: new.keptValues.map(\.description), help("read it"))
    }

    /// The claims that no part of the new profile brings.
    private var lostClaims: [String] {
        let named = Set(new.profile.namedClaims)
        func pointers(_ name: String, _ descriptor: ProviderDescriptor) -> [JSONPointer]? {
            descriptor.profile.effectiveClaims.first { $0.name == name }?.value
        }
        return old.profile.namedClaims.filter { name in
            guard name != "subject", !named.contains(name) else { return false }
            let isMapped = old.profile.claims[name] != nil
            return !isMapped || pointers(name, old) != pointers(name, new)
        }
    }

    /// Compares which values of the sign-in later requests need.
    mutating func compareValues() {
        let kept = old.keptValues
        for (path, template) in new.laterTemplates {
            for value in template.references where value.origin.keepsValues && !kept.contains(value) {
                guard !value.origin.builtInNames.contains(value.name), !template.source.contains("{\(value)|") else {
                    continue
                }
                report(
                    .missingValue, path, "the value {\(value)} is needed, and earlier sign-ins did not keep it",
                    "requests of earlier sign-ins lack it until their users sign in again; give it a default, such as {\(value)|DEFAULT}"
                )
            }
        }
    }
}

/// How a refresh token is sent, with what the section inherits.
private struct RefreshForm {
    let values: [(key: String, value: String)]

    init(_ descriptor: ProviderDescriptor) {
        let (refresh, token) = (descriptor.refresh, descriptor.token.request)
        func text(_ list: [String]) -> String { list.isEmpty ? "nothing" : list.sorted().joined(separator: ", ") }
        let request = refresh.request
        let renamed = request.rename.isEmpty ? token.rename : request.rename
        let shared = ["client_id", "client_secret", "grant_type", "scope", "refresh_token"]
        let omitted = request.omit.isEmpty ? token.omit : request.omit
        values = [
            ("using", refresh.using.rawValue), ("brings", refresh.result.rawValue),
            ("rotation", refresh.rotation == .unknown ? "keep_old" : refresh.rotation.rawValue),
            ("grant_type", refresh.grantType ?? "refresh_token"),
            ("authentication", refresh.authentication?.rawValue ?? "as for a code"),
            ("method", (request.method ?? token.method ?? .post).rawValue),
            ("body", (request.body ?? token.body ?? .form).rawValue),
            (
                "rename",
                text(renamed.items.filter { shared.contains($0.name) }.map { "\($0.name) to \($0.value)" })
            ),
            ("omit", text(omitted.filter(shared.contains))),
        ]
    }
}

extension ProviderDescriptor {
    /// The endpoints that receive no token.
    fileprivate static let pages: [EndpointName] = [.authorization, .jwks, .registration]

    /// Where refresh tokens and what authenticates the client may go.
    fileprivate var serverAuthorities: Set<String> {
        let names = EndpointName.allCases.filter { !Self.pages.contains($0) && $0 != .userinfo }
        let urls = names.compactMap { self.endpoints[$0] } + self.exchange.items.map(\.value.url)
        return Set(urls.compactMap { $0.authority(in: self) })
    }

    /// The hosts that receive an access token.
    fileprivate var apiHosts: [String] {
        let urls = [self.api.baseURL].compactMap { $0 } + self.resources.map(\.url)
        return self.api.hosts.map(\.source) + urls.compactMap { $0.authority(in: self) }
    }

    fileprivate var grantSections: [String] {
        [
            ("client_credentials", self.clientCredentials.isWritten), ("token_exchange", self.tokenExchange.isWritten),
            ("jwt_bearer", self.jwtBearer.grant.isWritten),
        ].filter(\.1).map(\.0)
    }

    /// The values of a sign-in that are kept with its tokens.
    fileprivate var keptValues: Set<TemplateReference> {
        var names: [(TemplateOrigin, [String])] = [
            (.callback, self.callback.capture.names), (.token, self.token.response.capture.names),
            (.connection, self.connection.derive.names),
        ]
        names += self.exchange.items.map { (.step, $0.value.capture.names) }
        let found = names.flatMap { origin, names in names.map { TemplateReference(origin, $0) } }
        return Set(found + self.connection.lookups.items.flatMap(\.references))
    }

    /// What is filled after the sign-in, perhaps long after it.
    fileprivate var laterTemplates: [(path: [String], template: Template)] {
        func all(_ path: [String], _ list: NamedList<Template>) -> [([String], Template)] {
            list.items.map { (path + [$0.name], $0.value) }
        }
        var found = all(["api", "headers"], self.api.headers) + all(["api", "parameters"], self.api.parameters)
        if let url = self.api.baseURL { found.append((["api", "base_url"], url)) }
        for name in [EndpointName.refresh, .userinfo, .revocation, .introspection] {
            if let url = self.endpoints[name] { found.append((["endpoints", name.rawValue], url)) }
        }
        for (index, entry) in self.resources.enumerated() {
            let path = ["resources", "\(index)"]
            found += [(path + ["url"], entry.url)] + all(path + ["headers"], entry.headers)
        }
        let sections = [
            ("refresh", self.refresh.request), ("revocation", self.revocation.request),
            ("profile", self.profile.request),
        ]
        for (name, request) in sections {
            found += all([name, "headers"], request.headers) + all([name, "parameters"], request.parameters)
        }
        return found
    }
}

extension ProfileRules {
    /// The claims that the descriptor itself names a source of.
    fileprivate var namedClaims: [String] {
        claims.items.filter { !$0.value.pointers.isEmpty }.map(\.name) + derive.names
            + requests.flatMap(\.claims.names) + (callback?.claims.map(\.name) ?? [])
    }
}

extension TemplateOrigin {
    /// Whether its values are those of the sign-in.
    fileprivate var keepsValues: Bool { [.callback, .token, .step, .connection].contains(self) }
}

extension Template {
    /// The host of the URL with its port, as it is written.
    fileprivate func authority(in descriptor: ProviderDescriptor) -> String? {
        guard !source.hasPrefix("/") else { return descriptor.api.baseURL?.authority(in: descriptor) }
        guard let scheme = source.firstRange(of: "://") else { return nil }
        return String(source[scheme.upperBound...].prefix { !"/?".contains($0) }).lowercased()
    }
}
