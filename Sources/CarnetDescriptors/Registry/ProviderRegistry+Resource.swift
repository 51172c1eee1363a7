package import CarnetFoundation

extension ProviderRegistry {
    /// The id of a resource that no file describes: its host, and a hash of the whole URL.
    package static func id(ofResource resource: WebURL) -> ProviderID {
        let name = resource.host.utf8.prefix(40).map { ASCII.isAlphanumeric($0) ? $0 : UInt8(ascii: "-") }
        // FNV-1a. Anybody can make a second URL with the same id, so a descriptor (`describes(_:)`) and
        // credentials (`CredentialBinding.resource`) are compared with the URL itself.
        let hash = resource.text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let digits = String(hash, radix: 16)
        let text = String(decoding: name.drop { $0 == UInt8(ascii: "-") }, as: UTF8.self)
        return ProviderID(
            rawValue: "\(text)-\(String(repeating: "0", count: 16 - digits.utf8.count))\(digits)")
    }

    /// A descriptor of a resource that no file describes, with what its metadata says.
    ///
    /// If a descriptor of this registry has the same issuer, the new one extends it: the authorization server deviates from
    /// the standards here as it does there. Nothing that concerns the other provider's own resources is inherited. A place
    /// that may not override lends nothing either.
    ///
    /// - Parameters:
    ///   - resource: The resource that a host asked for.
    ///   - named: The resource as its metadata names it; `nil` for the same.
    ///   - issuer: `nil` if it is not known yet.
    ///   - scopes: The scopes to request.
    ///   - furtherScopes: Scopes that a later request may need.
    ///   - endpoints: Endpoints that somebody confirmed, or all of a server that has no metadata.
    /// - Throws: `ResolutionError` for a URL that no descriptor can have, such as an endless one.
    package func entry(
        ofResource resource: WebURL, named: WebURL? = nil, issuer: String? = nil, scopes: [String] = [],
        furtherScopes: [String] = [], endpoints: [EndpointName: WebURL] = [:]
    ) throws(ResolutionError) -> Entry {
        let lender = issuer.flatMap { self.lender(of: $0) }
        func made(from lender: Lender?) -> Entry? {
            let text = Self.text(
                of: resource, named: named ?? resource, issuer, (scopes, furtherScopes), endpoints, lender)
            var registry = self
            let origin = Origin.file(resource.text)
            registry.add([SourceFile(path: resource.text, text: text)], origin: origin)
            return (try? registry.entry(named: Self.id(ofResource: resource).rawValue)).flatMap {
                $0.origin == origin ? $0 : nil
            }
        }
        if let lender, let entry = made(from: lender), (try? entry.descriptor.resolve()) != nil { return entry }
        if let entry = made(from: nil) { return entry }
        throw ResolutionError(
            kind: .badURL, provider: Self.id(ofResource: resource), key: "resource",
            reason: "no descriptor can have this URL")
    }

    /// A descriptor with the issuer of a resource, and the values of its inputs that make its issuer this one.
    private struct Lender {
        var entry: Entry
        var inputs: [Named<String>]
    }

    private func lender(of issuer: String) -> Lender? {
        guard let host = (try? WebURL(issuer))?.host else { return nil }
        let lenders = entries(mentioning: host).compactMap { entry -> Lender? in
            guard entry.descriptor.isFromNamedPlace, entry.descriptor.resource == nil else { return nil }
            return entry.descriptor.inputValues(forIssuer: issuer).map { Lender(entry: entry, inputs: $0) }
        }
        // Several may extend one. The first of them says what concerns the server.
        return lenders.min { one, other in
            (one.inputs.count, one.entry.document.ancestors.count, one.entry.descriptor.id)
                < (other.inputs.count, other.entry.document.ancestors.count, other.entry.descriptor.id)
        }
    }

    /// The sections that do not concern the authorization server, or that are about one client of it.
    private static let notLent = [
        "docs", "status", "accounts", "register", "display", "environments", "issuer_match", "resources", "api",
        "profile", "exchange", "connection", "samples",
    ]

    private static func text(
        of resource: WebURL, named: WebURL, _ issuer: String?, _ scopes: (defaults: [String], further: [String]),
        _ endpoints: [EndpointName: WebURL], _ lender: Lender?
    ) -> String {
        func quoted(_ text: String) -> String { JSONValue.string(text).jsonText() }
        var lines = ["carnet: 1", "id: \(id(ofResource: resource))", "name: \(quoted(resource.authority))"]
        if let lender { lines.append("extends: \(lender.entry.descriptor.id)") }
        lines.append("resource: \(quoted(named.text))")
        if let issuer { lines.append("issuer: \(quoted(issuer))") }
        if !endpoints.isEmpty {
            let urls = endpoints.map { "\($0.rawValue): \(quoted($1.text))" }.sorted()
            lines.append("endpoints: { \(urls.joined(separator: ", ")) }")
        }
        if endpoints[.token] != nil { lines.append("discovery: none") }
        let list = scopes.defaults.map(quoted).joined(separator: ", ")
        let further = scopes.further.filter { !scopes.defaults.containsBytes(of: $0) }.map(quoted)
        let catalog = further.isEmpty ? nil : "[\(further.joined(separator: ", "))]"
        guard let lender else {
            let parts = [scopes.defaults.isEmpty ? nil : "default: [\(list)]", catalog.map { "catalog: \($0)" }]
                .compactMap { $0 }
            if !parts.isEmpty { lines.append("scopes: { \(parts.joined(separator: ", ")) }") }
            return lines.joined(separator: "\n") + "\n"
        }
        lines.append("scopes: { default: [\(list)], required: null, catalog: \(catalog ?? "null"), extra: null }")
        if !lender.inputs.isEmpty {
            let values = lender.inputs.map { "\($0.name): { default: \(quoted($0.value)) }" }
            lines.append("inputs: { \(values.joined(separator: ", ")) }")
        }
        lines.append("# What concerns only the other provider's resources and clients is not inherited.")
        return (lines + notLent.map { "\($0): null" }).joined(separator: "\n") + "\n"
    }
}

extension ProviderDescriptor {
    /// The values of the inputs with which the descriptor's issuer is this one, byte for byte; `nil` if it is another.
    ///
    /// An input that is the host, or a part of it, makes every issuer, so it makes none.
    fileprivate func inputValues(forIssuer issuer: String) -> [Named<String>]? {
        guard let (start, name, end) = (self.issuer?.parts).flatMap(Template.aroundInput) else { return nil }
        guard let name else { return start.isSameBytes(as: issuer) ? [] : nil }
        guard start.utf8.count(where: { $0 == UInt8(ascii: "/") }) > 2,
            issuer.utf8.starts(with: start.utf8), issuer.utf8.count > start.utf8.count + end.utf8.count,
            issuer.utf8.reversed().starts(with: end.utf8.reversed())
        else { return nil }
        let value = String(
            decoding: issuer.utf8.dropFirst(start.utf8.count).dropLast(end.utf8.count), as: UTF8.self)
        guard let rules = self.inputs[name], !rules.isSecret, rules.refusal(of: value) == nil,
            value.utf8.allSatisfy(ASCII.isUnreserved)
        else { return nil }
        return [Named(name, value)]
    }
}

extension WebURL {
    /// The identifiers that the metadata of a resource may have: its URL, or that of its host (RFC 9728, section 3.3); and the
    /// other spelling, if the resource redirects there.
    package var resourceNames: [String] { [text, otherSpelling].compactMap { $0 } + namesOfHost }

    package var namesOfHost: [String] { ["\(scheme)://\(authority)", "\(scheme)://\(authority)/"] }

    /// The URL with a slash at its end, or without it. Servers redirect one of them to the other.
    package var otherSpelling: String? {
        guard query == nil, path.utf8.count > 1 else { return nil }
        return text.hasSuffix("/") ? String(text.dropLast()) : text + "/"
    }
}

extension ProviderDescriptor {
    /// Whether it is the descriptor of this resource, and not of another one with the same id.
    package func describes(_ resource: WebURL) -> Bool {
        resource.resourceNames.containsBytes(of: self.resource?.source ?? "")
    }

    /// A descriptor of a protected resource. The resource's metadata names its authorization server (RFC 9728).
    ///
    /// - Parameter url: The URL of the resource, as its users write it: https, or http on loopback.
    /// - Throws: `ResolutionError` if it is no such URL.
    public init(resource url: String) throws(ResolutionError) {
        self = try ProviderRegistry().entry(ofResource: try Self.resourceURL(url)).descriptor
    }

    /// - Throws: `ResolutionError`.
    package static func resourceURL(_ url: String) throws(ResolutionError) -> WebURL {
        do throws(WebURLError) {
            return try WebURL(url)
        } catch {
            throw ResolutionError(kind: .badURL, provider: "resource", key: "resource", reason: error.reason)
        }
    }
}
