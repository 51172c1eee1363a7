import CarnetDescriptors
import CarnetFoundation

extension DescriptorComparison {
    /// Compares where tokens go: Carnet sends those of a sign-in only to the origins that were named at that time.
    mutating func comparePlaces() {
        let help =
            "requests of earlier sign-ins fail until their users sign in again; keep the old server while it works, or write the new one under another id"
        if let resolved {
            let (was, now) = (resolved.old.provider, resolved.new.provider)
            compare(resolved, was.serverKeys, now.serverKeys, was.shared.serverPlaces, help)
            let keys = resolved.old.resourceKeys(asIn: resolved.new)
            compare(resolved, keys, now.resourceKeys, was.shared.resourcePlaces, help)
            let urls = new.resources.map(\.url) + [new.api.baseURL].compactMap { $0 }
            let places = urls.compactMap { try? WebURL(resolved.new.url($0)) }.map(\.authority) + now.api.hosts
            let known = Set(places.map(ByteKey.init))
            let hosts = was.api.hosts.filter { !known.contains(ByteKey($0)) }
            compare(.moved, ["api", "hosts"], "API host", lost: hosts, help)
        }
        let trusted = HostPatterns(new.trustedHosts.map(\.source))
        let lost = old.trustedHosts.filter { host in
            let url = try? WebURL("https://" + host.source.replacing("*", with: "x"))
            return !trusted.contain(host.source) && url.map(trusted.match) != true
        }
        compare(.moved, ["trusted_hosts"], "trusted host", lost: lost.map(\.source), help)
        if old.api.baseURL != nil {
            compare(
                .moved, "api.base_url",
                "programs complete it with their own paths, and tokens of earlier sign-ins do not go to another server; keep it, or write the new API under another id"
            )
        }
        compareAudience()
    }

    /// - Parameter known: All places that may receive such credentials of earlier sign-ins.
    private mutating func compare(
        _ resolved: (old: ResolvedVersion, new: ResolvedVersion), _ old: [(key: [String], places: Set<String>)],
        _ new: [(key: [String], places: Set<String>)], _ known: [String], _ help: String
    ) {
        func name(_ key: [String]) -> ByteKey { ByteKey(key.joined(separator: "\n")) }
        let earlier = Dictionary(old.map { (name($0.key), $0.places) }, uniquingKeysWith: { first, _ in first })
        let origins = Set(known.map(ByteKey.init))
        let patterns = HostPatterns(known.filter { !$0.contains("://") })
        for (key, places) in new {
            // By default, such a request goes to the token endpoint.
            let isToken = [["endpoints", "refresh"], ["endpoints", "device_token"]].contains(key)
            guard let was = earlier[name(key)] ?? (isToken ? earlier[name(["endpoints", "token"])] : nil)
            else { continue }
            let gained = places.filter {
                !origins.contains(ByteKey($0)) && (try? WebURL($0)).map(patterns.match) == false
            }
            let lost = was.subtracting(places).filter { $0.contains("://") }
            let isLost = !lost.isEmpty && (!gained.isEmpty || was.count > 1 || key.last == "refresh")
            guard isLost || !gained.isEmpty && was.isDisjoint(with: places) else { continue }
            compare(
                .moved, key, "at \(resolved.old.hosts(was))", "at \(resolved.new.hosts(places))", help)
        }
    }

    private mutating func compareAudience() {
        let help = "the API refuses the tokens of earlier sign-ins; keep it, or write the new audience under another id"
        if old.resource != nil || new.resource != nil { compare(.moved, "resource", help) }
        for (section, was) in [
            ("authorization", old.authorization.parameters), ("token", old.token.request.parameters),
            ("client_credentials", old.clientCredentials.request.parameters),
        ] {
            for name in ["audience", "resource"] where was.contains(name) {
                compare(.moved, "\(section).parameters.\(name)", help)
            }
        }
        let claims = "a resource server refuses tokens that it accepted, or knows their client no more; keep the claim"
        compare(.moved, "access_token.audience", claims)
        compare(.moved, "access_token.client", claims)
        compare(
            .moved, ["access_token", "marked_by"], "mark of access tokens", lost: old.accessToken.markedBy,
            from: new.accessToken.markedBy, claims)
    }

    /// Compares how tokens that exist are sent, and what a sign-in demands.
    mutating func compareDifferences() {
        guard let resolved else { return }
        let all = JSONValue.object(resolved.old.json).differences(to: .object(resolved.new.json))
        for section in ResolvedVersion.requests {
            let found = all.filter { $0.path[0] == section && !$0.isHarmless }.compactMap { difference in
                let (was, now) = (resolved.old.named(difference.was.shown), resolved.new.named(difference.now.shown))
                let isKnown = was == now || changes.contains { difference.path.starts(with: $0.path) }
                let text = difference.isHidden ? " has another value" : " was \(was) and is \(now)"
                return isKnown ? nil : (path: difference.path, text: text)
            }
            guard let first = found.first else { continue }
            report(
                .form, found.count == 1 ? first.path : [section],
                found.map { $0.path.joined(separator: ".") + $0.text }.inWords,
                "requests with tokens of earlier sign-ins now have this form, while nobody is present; keep the old form, or test the new one with such a token"
            )
        }
        let help = "sign-ins fail, also of people who signed in earlier; keep what was accepted"
        for difference in all {
            let (path, was, now) = (difference.path, difference.was, difference.now)
            let key = path.joined(separator: ".")
            switch path.last {
            case "secret" where was == true && now == false:
                report(
                    .protection, path, "\(key) was true and is false, which protects less than before",
                    Self.protectionHelp)
            case "optional" where was == true && now == false && path[0] != "inputs":
                compare(.ability, path, "true", "false", help)
            case "pattern" where ["callback", "token", "exchange", "connection"].contains(path[0]):
                let forms = [was, now].map { value in value.string.map { try? ValuePattern($0) } ?? .anything }
                if let old = forms[0], let new = forms[1], new.includes(old) != true {
                    let effect = new.includes(old) == false ? help : help.replacing("fail", with: "may fail")
                    compare(.ability, path, was.string, now.string, effect)
                }
            case "algorithms" where now != [] && (was != [] || !old.canDiscover) && path[0] != "client":
                let named = was == [] ? ["RS256"] : was.array?.compactMap(\.string) ?? []
                compare(
                    .ability, path, "signature algorithm", lost: named, from: now.array?.compactMap(\.string) ?? [],
                    help)
            case "value" where path.prefix(2) == ["connection", "lookups"],
                "choose" where path.prefix(2) == ["connection", "lookups"] && now == "first":
                compare(
                    .ability, path, was.shown, now.shown,
                    "who signs in again is connected to another object; keep what was read, or write the new lookup under another name"
                )
            case "on_connect", "on_disconnect":
                guard was.array?.count ?? 0 > now.array?.count ?? 0 else { continue }
                report(
                    .ability, path, "a request of \(key) is gone",
                    "accounts are no longer connected or disconnected at the provider; keep it while the provider has it"
                )
            default: break
            }
        }
    }

    mutating func compareAbilities() {
        func help(_ action: String) -> String { "programs that \(action) fail; keep it while the provider has it" }
        let endpoints = EndpointName.allCases.filter { name in
            guard let was = old.endpoints[name], new.endpoints[name] == nil else { return false }
            // Without them, requests go to the token endpoint.
            return name.isStandard
                ? !new.canDiscover : resolved.map { $0.old.url(was) != new.endpoints[.token].map($0.new.url) } ?? true
        }
        compare(.ability, ["endpoints"], "endpoint", lost: endpoints.map(\.rawValue), help("use it"))
        for section in old.grantSections where !new.grantSections.contains(section) {
            compare(.ability, [], "grant", lost: [section], help("use it"))
        }
        compare(
            .ability, ["exchange"], "exchange", lost: old.exchange.names, from: new.exchange.names,
            help("call with its tokens"))
        if !new.redirects.isEmpty {
            let lost = old.redirects.filter { form in
                !form.samples.allSatisfy { uri in new.redirects.contains { $0.matches(uri) } }
            }
            compare(
                .ability, ["redirects"], "form of redirect URI",
                lost: old.redirects.isEmpty ? ["any other"] : lost.map(\.description),
                "registrations with such a redirect URI no longer sign in; keep it while the provider accepts it")
        }
        compare(
            .ability, ["environments"], "environment", lost: old.environmentNames, from: new.environmentNames,
            help("select it"))
        compare(
            .ability, ["token", "response", "token_sets"], "token set", lost: old.token.response.tokenSets.names,
            from: new.token.response.tokenSets.names, help("use its session"))
        compareClaims(help("read it"))
        let kept = Set(new.keptPlaces.flatMap(\.values))
        for (path, values) in old.keptPlaces {
            compare(
                .ability, path, "value of a sign-in", lost: values.filter { !kept.contains($0) }.map(\.name),
                help("read it"))
        }
    }

    private mutating func compareClaims(_ help: String) {
        func keys(_ names: [String]) -> Set<ByteKey> { Set(names.map(ByteKey.init)) }
        let (was, now) = (keys(old.profile.namedClaims), keys(new.profile.namedClaims))
        let (sources, others, rights) = (ClaimSources(old), ClaimSources(new), keys(old.profile.rights))
        var (lost, seen) = ([String](), keys(["subject"]))
        for name in old.profile.effectiveClaims.map(\.name) + old.profile.namedClaims {
            let key = ByteKey(name)
            guard seen.insert(key).inserted else { continue }
            let (before, after) = (sources.place(of: name), others.place(of: name))
            let isOff = others.named[key]?.pointers.isEmpty == true && sources.named[key] == nil
            let isMapped = sources.named[key] != nil || sources.derived[key] != nil
            if !now.contains(key), isOff || was.contains(key) && !(isMapped && after.holds(before)) {
                lost.append(name)
            } else if was.contains(key), rights.contains(key), !after.holds(before) {
                report(
                    .ability, after.path(since: before), "the claim \(name) was \(before) and is \(after)",
                    "programs give rights by it; keep the old place, or write the new claim under another name")
            }
        }
        compare(.ability, ["profile", "claims"], "claim", lost: lost, help)
    }

    /// Compares which values of the sign-in later requests need.
    mutating func compareValues() {
        let kept = Set(old.keptPlaces.flatMap(\.values))
        let origins: [TemplateOrigin] = [.callback, .token, .step, .connection]
        for (path, template) in new.laterTemplates {
            for value in template.references where origins.contains(value.origin) && !kept.contains(value) {
                guard !value.origin.builtInNames.contains(value.name), !template.source.contains("{\(value)|")
                else { continue }
                report(
                    .missingValue, path, "the value {\(value)} is needed, and earlier sign-ins did not keep it",
                    "requests of earlier sign-ins lack it until their users sign in again; give it a default, such as {\(value)|DEFAULT}"
                )
            }
        }
    }
}

extension ProviderDescriptor {
    fileprivate var grantSections: [String] {
        [
            ("client_credentials", self.clientCredentials.isWritten), ("token_exchange", self.tokenExchange.isWritten),
            ("jwt_bearer", self.jwtBearer.grant.isWritten),
        ].filter(\.1).map(\.0)
    }

    /// The values of a sign-in that are kept with its tokens.
    fileprivate var keptPlaces: [(path: [String], values: [TemplateReference])] {
        func values(_ origin: TemplateOrigin, _ names: [String]) -> [TemplateReference] {
            names.map { TemplateReference(origin, $0) }
        }
        return [
            (["callback", "capture"], values(.callback, self.callback.capture.names)),
            (["token", "response", "capture"], values(.token, self.token.response.capture.names)),
            (["connection", "derive"], values(.connection, self.connection.derive.names)),
            (["connection", "lookups"], self.connection.lookups.items.flatMap(\.references)),
        ] + self.exchange.items.map { (["exchange", $0.name, "capture"], values(.step, $0.value.capture.names)) }
    }

    /// What is filled after the sign-in, perhaps long after it.
    fileprivate var laterTemplates: [(path: [String], template: Template)] {
        typealias Found = [(path: [String], template: Template)]
        func all(_ path: [String], _ headers: NamedList<Template>, _ parameters: NamedList<Template>? = nil) -> Found {
            headers.items.map { (path + ["headers", $0.name], $0.value) }
                + (parameters?.items ?? []).map { (path + ["parameters", $0.name], $0.value) }
        }
        var found = all(["api"], self.api.headers, self.api.parameters)
        if let url = self.api.baseURL { found.append((["api", "base_url"], url)) }
        for name in [EndpointName.refresh, .userinfo, .revocation, .introspection] {
            if let url = self.endpoints[name] { found.append((["endpoints", name.rawValue], url)) }
        }
        for (index, entry) in self.resources.enumerated() {
            let path = ["resources", "\(index)"]
            found += [(path + ["url"], entry.url)] + all(path, entry.headers)
        }
        for (index, call) in self.connection.onDisconnect.enumerated() {
            let path = ["connection", "on_disconnect", "\(index)"]
            found += [(path + ["url"], call.url)] + all(path, call.headers, call.parameters)
        }
        for (name, request) in [
            ("refresh", self.refresh.request), ("revocation", self.revocation.request),
            ("profile", self.profile.request),
        ] {
            found += all([name], request.headers, request.parameters)
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

    /// The claims that programs give rights by: the lists are groups and the like.
    fileprivate var rights: [String] {
        let lists = claims.items.filter { $0.value.elements?.isList == true }.map(\.name)
        let furtherLists = requests.flatMap(\.claims.items).filter(\.value.isList).map(\.name)
        return ["email_verified", "groups"] + lists + furtherLists
    }
}

/// Many patterns of hosts, among which those of a URL are found without asking each.
private struct HostPatterns {
    private let sources: Set<ByteKey>

    init(_ sources: [String]) { self.sources = Set(sources.map(ByteKey.init)) }

    func contain(_ source: String) -> Bool { sources.contains(ByteKey(source)) }

    /// Whether one of them is the URL's host or stands for all below one of its domains, as `HostPattern.matches` says.
    func match(_ url: WebURL) -> Bool {
        let host = url.authority
        let dots = host.indices.dropFirst().filter { host[$0] == "." }
        return contain(host) || dots.contains { contain("*" + host[$0...]) }
    }
}

extension RedirectForm {
    /// Some URIs of the form, with all kinds of values for its places.
    fileprivate var samples: [String] {
        [("com.example.app", "", ":49152"), ("a", "a/b.c", ":1"), ("x_1-2", "d", "")].map { name, path, port in
            let text = description.replacing("{path}", with: path).replacing(":{port}", with: port)
            let parts = text.split(separator: "{", omittingEmptySubsequences: false)
            return parts.dropFirst().reduce(String(parts[0])) { $0 + name + $1.drop { $0 != "}" }.dropFirst() }
        }
    }
}
