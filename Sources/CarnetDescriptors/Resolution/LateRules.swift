/// What of a provider is known only at run time: templates with the inputs in them.
package struct LateRules: Sendable {
    package var tables: NamedList<NamedList<String>>
    package var trustedHosts: [HostPattern]
    package var endpoints: [EndpointName: Template] = [:]
    package var apiHeaders: [Named<Template>] = []
    package var baseURL: Template?
    /// Each with the number of known resources before it.
    package var resources: [(position: Int, resource: LateResource)] = []

    init(tables: NamedList<NamedList<String>>, trustedHosts: [HostPattern]) {
        self.tables = tables
        self.trustedHosts = trustedHosts
    }
}

/// The part of a request that is filled at run time.
package struct LateRequest: Sendable {
    package var parameters: [Named<Template>] = []
    package var headers: [Named<Template>] = []
    /// The parameters and headers whose values must not be seen, once filled.
    package var hidden: Set<String> = []
    /// What the headers that sign the body are filled with.
    package var values: TemplateValues?
}

/// A resource whose URL or headers may not be known yet.
package struct LateResource: Sendable {
    let entry: ResourceEntry
    let url: Template
    let headers: [Named<String>]
    let lateHeaders: [Named<Template>]
    let knownURL: WebURL?

    var known: Resource? { knownURL.map { resource($0, headers) } }

    private func resource(_ url: WebURL, _ headers: [Named<String>]) -> Resource {
        Resource(
            id: entry.id, title: entry.title, url: url, requirement: entry.requirement, method: entry.method,
            headers: headers)
    }

    /// The resource, if all that it uses is known and its host is trusted.
    func filled(_ values: TemplateValues, trusting hosts: [HostPattern]) -> Resource? {
        guard let url = try? values.url(url, trusting: hosts) else { return nil }
        return resource(url, headers + values.named(lateHeaders))
    }
}

extension Provider {
    /// Whether anything is known only at run time.
    package var isLate: Bool {
        !late.endpoints.isEmpty || !late.apiHeaders.isEmpty || !late.resources.isEmpty || late.baseURL != nil
            || [token, refresh, profile].contains { $0.isLate } || !exchange.isEmpty
            || !connection.isEmpty || !authorization.lateParameters.isEmpty
    }

    /// The provider with what is known by now. What a value is missing for stays out, as with an optional input.
    package func filled(_ values: TemplateValues) -> Provider {
        guard isLate else { return self }
        var filled = self
        filled.token = token.filled(values)
        filled.refresh = refresh.filled(values)
        filled.profile = profile.filled(values)
        filled.apiHeaders += values.named(late.apiHeaders)
        let headers = late.apiHeaders + late.resources.flatMap(\.resource.lateHeaders)
        filled.hiddenHeaders = values.secretNames(of: headers)
        for (name, template) in late.endpoints {
            do throws(WebURLError) {
                filled.endpoints[name] = try values.url(template, trusting: late.trustedHosts)
            } catch {
                filled.unfilledEndpoints[name] = error.reason
            }
        }
        for entry in late.resources.reversed() {
            if let resource = entry.resource.filled(values, trusting: late.trustedHosts) {
                filled.resources.insert(resource, at: entry.position)
            }
        }
        return filled
    }
}

extension ConnectionRules {
    package var isEmpty: Bool {
        lookups.isEmpty && derive.isEmpty && onConnect.isEmpty && onDisconnect.isEmpty
    }
}

extension ResolvedRequest {
    var isLate: Bool { !late.parameters.isEmpty || !late.headers.isEmpty }

    /// The request with what is known by now. A header that signs the body waits for it.
    package func filled(_ values: TemplateValues) -> ResolvedRequest {
        guard isLate else { return self }
        let signing = late.headers.filter { $0.value.references.contains { $0.origin == .request } }
        let plain = late.headers.filter { header in !signing.contains { $0.name == header.name } }
        return ResolvedRequest(
            method: method,
            body: body,
            headers: headers + values.named(plain),
            parameters: parameters + values.named(late.parameters),
            rename: rename,
            omit: omit,
            queryParameters: queryParameters,
            encode: encode,
            late: LateRequest(
                headers: signing,
                hidden: values.secretNames(of: plain + late.parameters),
                values: values
            )
        )
    }
}

extension TemplateValues {
    package func named(_ templates: [Named<Template>]) -> [Named<String>] {
        templates.compactMap { item in fill(item.value).map { Named(item.name, $0.text) } }
    }

    /// The names of those whose values must not be seen.
    package func secretNames(of templates: [Named<Template>]) -> Set<String> {
        Set(templates.filter { fill($0.value)?.isSecret ?? false }.map(\.name))
    }

    /// A URL of run-time values. Its host is the author's own word or a trusted one: what a callback or an answer says
    /// must not choose who gets a code or a token.
    ///
    /// - Throws: `WebURLError` with what is missing or refused.
    package func url(_ template: Template, trusting hosts: [HostPattern]) throws(WebURLError) -> WebURL {
        for (index, part) in template.parts.enumerated() {
            // A value at the start is a whole base URL; elsewhere it must not end the part of the URL that it is in.
            guard case .late(let expression, _) = part, index > 0,
                !expression.isClosed, let text = text(of: expression)
            else { continue }
            var isEncoded = false
            if case .urlencode = expression { isEncoded = true }
            let isPlain = text.utf8.allSatisfy { ASCII.isUnreserved($0) || isEncoded && $0 == UInt8(ascii: "%") }
            guard isPlain, ![".", "..", ""].contains(text) else {
                throw WebURLError(reason: "a value of it has characters that cannot stand in a URL as they are")
            }
        }
        guard let value = fill(template) else {
            let missing = template.references.first { known[$0] == nil }
            throw WebURLError(reason: "the value \(missing.map { "{\($0)}" } ?? "that it needs") is not known")
        }
        guard !value.isSecret else { throw WebURLError(reason: "a value of it is secret") }
        var text = value.text
        if case .late(let expression, let fallback) = template.parts.first,
            let base = self.text(of: expression) ?? fallback, base.hasSuffix("/"),
            text.dropFirst(base.count).hasPrefix("/")
        {
            text = String(base.dropLast()) + text.dropFirst(base.count)
        }
        let url = try WebURL(text)
        guard template.fixesHost || hosts.contains(where: { $0.matches(url) }) else {
            throw WebURLError(reason: "the host \(url.authority) is not among trusted_hosts")
        }
        return url
    }
}

extension ExchangeStep {
    /// The step with the inputs in it.
    func resolve(with resolver: InputResolver, key: String) throws(ResolutionError) -> ExchangeStep {
        var step = self
        step.url = try resolver.late(url, key: "\(key).url") ?? .empty
        step.resolved = try resolver.request(request, key: key)
        return step
    }
}

extension ConnectionRules {
    /// The rules with the inputs in them.
    func resolve(with resolver: InputResolver) throws(ResolutionError) -> ConnectionRules {
        var rules = self
        rules.derive = NamedList(try resolver.allNamed(derive, key: "connection.derive"))
        for (index, lookup) in lookups.items.enumerated() {
            rules.lookups.items[index].value.call = try lookup.value.call.resolve(
                with: resolver, key: "connection.lookups.\(lookup.name)")
        }
        for (index, call) in onConnect.enumerated() {
            rules.onConnect[index] = try call.resolve(with: resolver, key: "connection.on_connect.\(index)")
        }
        for (index, call) in onDisconnect.enumerated() {
            rules.onDisconnect[index] = try call.resolve(with: resolver, key: "connection.on_disconnect.\(index)")
        }
        return rules
    }
}

extension CallRules {
    fileprivate func resolve(with resolver: InputResolver, key: String) throws(ResolutionError) -> CallRules {
        var call = self
        let whole = resolver.apiBase.map { url.source.hasPrefix("/") ? $0.appending(url) : url } ?? url
        call.url = try resolver.late(whole, key: "\(key).url") ?? .empty
        call.headers = NamedList(try resolver.allNamed(headers, key: "\(key).headers"))
        call.parameters = NamedList(try resolver.allNamed(parameters, key: "\(key).parameters"))
        return call
    }
}

extension InputResolver {
    /// All templates with the inputs in them.
    fileprivate func allNamed(_ list: NamedList<Template>, key: String) throws(ResolutionError) -> [Named<Template>] {
        var all: [Named<Template>] = []
        for item in list.items {
            if let template = try late(item.value, key: "\(key).\(item.name)") {
                all.append(Named(item.name, template))
            }
        }
        return all
    }
}
