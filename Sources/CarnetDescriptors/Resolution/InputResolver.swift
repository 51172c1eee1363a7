import CarnetFoundation

/// Checks a registration's inputs against a descriptor and fills its templates with them.
struct InputResolver {
    let provider: ProviderID
    private let descriptor: ProviderDescriptor
    let rules: NamedList<InputRules>
    /// The values that may be seen.
    let values: [String: String]
    /// The values of inputs that are secret. Templates get them at run time, where they are kept out of sight.
    let secrets: [String: String]
    private let issuer: Template?
    /// The values that templates may have at run time.
    private let kept: Set<TemplateReference>
    let api: APIRules

    /// - Parameter clientID: `nil` if it is not known; then it is the one that the provider publishes, if it does.
    init(
        _ descriptor: ProviderDescriptor, values given: [String: String], clientID: String? = nil
    ) throws(ResolutionError) {
        self.descriptor = descriptor
        provider = descriptor.id
        rules = descriptor.inputs
        issuer = descriptor.issuer
        kept = descriptor.keptValues
        api = descriptor.api
        func error(_ kind: ResolutionError.Kind, _ name: String, _ reason: String) -> ResolutionError {
            ResolutionError(kind: kind, provider: descriptor.id, key: "inputs.\(name)", reason: reason)
        }
        var values = given
        for name in given.keys.sorted() where rules[name] == nil {
            let nearest = nearestName(to: name, in: rules.names)
            let hint =
                nearest.map { "did you mean \($0)?" }
                ?? (rules.isEmpty
                    ? "this provider has no inputs" : "its inputs are " + rules.names.joined(separator: ", "))
            throw error(.unknownInput, name, "unknown input; \(hint)")
        }
        for rule in rules.items { values[rule.name] = values[rule.name].map(rule.value.withoutScheme) }
        values.merge(descriptor.defaultInputs(values, clientID: clientID)) { given, _ in given }
        var secrets: [String: String] = [:]
        for rule in rules.items {
            guard let value = values[rule.name] else {
                if rule.value.isOptional { continue }
                let example = rule.value.example.map { ", e.g. \($0)" } ?? ""
                let absent = rule.value.isOfClient ? ", because the client id is not known" : ""
                // A default waits for the inputs that it is made of.
                let needed = (rule.value.defaultValue?.inputNames ?? []).filter { values[$0] == nil }
                let whole = needed.isEmpty ? "" : "; its default needs the input \(needed.joined(separator: " and "))"
                throw error(
                    .missingInput, rule.name, "the input \(rule.name) has no value\(absent)\(example)\(whole)")
            }
            if let reason = rule.value.refusal(of: value) {
                let isDefault = rule.value.isOfClient && given[rule.name] == nil
                throw error(
                    .badInput, rule.name,
                    (isDefault ? "by default the input \(rule.name) is the client id: " : "") + reason)
            }
            guard rule.value.isSecret else { continue }
            secrets[rule.name] = value
            values[rule.name] = nil
        }
        self.values = values
        self.secrets = secrets
    }

    /// Whether metadata may name endpoints that the descriptor does not.
    var mayFindEndpoints: Bool {
        descriptor.discovery != .off
            && (descriptor.issuer != nil || descriptor.discoveryURL != nil || descriptor.resource != nil)
    }

    func error(_ kind: ResolutionError.Kind, _ key: String, _ reason: String) -> ResolutionError {
        ResolutionError(kind: kind, provider: provider, key: key, reason: reason)
    }

    /// The defaults of inputs without a value. A default may use other inputs, in any order.
    static func defaults(
        of rules: NamedList<InputRules>, _ given: [String: String], clientID: String?
    ) -> [String: String] {
        var values: [String: String] = [:]
        var open = rules.items.filter { given[$0.name] == nil && $0.value.defaultValue != nil }
        while true {
            let waiting = open.filter { rule in
                values[rule.name] = rule.value.defaultValue?.filled(clientID: clientID) { name in
                    rules[name]?.isSecret == false ? given[name] ?? values[name] : nil
                }
                return values[rule.name] == nil
            }
            guard waiting.count < open.count else { return values }
            open = waiting
        }
    }

    /// Whether a template uses a secret input: it is filled at run time.
    private func usesSecret(_ template: Template) -> Bool {
        template.inputNames.contains { rules[$0]?.isSecret ?? false }
    }

    /// The filled text; `nil` if it uses an optional input that has no value.
    ///
    /// - Parameter key: The descriptor key, for errors.
    func fill(_ template: Template, key: @autoclosure () -> String) throws(ResolutionError) -> String? {
        try checkInputs(of: template, key: key())
        if let name = template.inputNames.first(where: { rules[$0]?.isSecret ?? false }) {
            throw error(
                .badInput, key(), "the input \(name) is secret, and this key may be shown or sent through a browser")
        }
        return template.filled(value)
    }

    func value(of name: String) -> String? {
        isIssuer(name) ? issuer?.filled { values[$0] } : values[name]
    }

    private func checkInputs(of template: Template, key: @autoclosure () -> String) throws(ResolutionError) {
        for name in template.inputNames where rules[name] == nil && !isIssuer(name) {
            throw error(.unknownInput, key(), "inputs has no {\(name)}")
        }
    }

    /// Whether a place stands for the descriptor's own issuer.
    private func isIssuer(_ name: String) -> Bool {
        name == Template.issuerName && rules[name] == nil && issuer != nil
    }

    /// The URL of a request with the access token: below `api.base_url` if it starts with `/`.
    func belowAPI(_ url: Template) -> Template {
        api.baseURL.map { url.source.hasPrefix("/") ? $0.appending(url) : url } ?? url
    }

    func issuerURL(_ template: Template) throws(ResolutionError) -> WebURL? {
        // In the issuer itself, the name stands for nothing.
        if rules[Template.issuerName] == nil, template.inputNames.contains(Template.issuerName) {
            throw error(.unknownInput, "issuer", "inputs has no {\(Template.issuerName)}")
        }
        let url = try url(template, key: "issuer")
        if let url, IssuerRule.metadataPaths.contains(where: url.path.holds) {
            throw error(
                .badURL, "issuer", "\(url.text) is the URL of a metadata document: write the 'issuer' in that document")
        }
        return url
    }

    /// - Throws: `ResolutionError`, also for an input that could move the URL to another host.
    func url(_ template: Template, key: @autoclosure () -> String) throws(ResolutionError) -> WebURL? {
        try checkURL(template, key: key())
        guard let text = try fill(template, key: key()) else { return nil }
        do throws(WebURLError) {
            return try WebURL(text)
        } catch {
            throw self.error(.badURL, key(), "\(text): \(error.reason)")
        }
    }

    /// A URL that is filled at run time, or `nil` as `late`.
    func lateURL(_ template: Template, key: @autoclosure () -> String) throws(ResolutionError) -> Template? {
        try checkURL(template, key: key())
        return try late(template, key: key())
    }

    /// A host with or without a port, in lower case. Of an input with a host and a path, it is the host.
    func host(_ template: Template, key: @autoclosure () -> String) throws(ResolutionError) -> String? {
        try checkURL(template, isAuthority: true, key: key())
        guard let text = try fill(template, key: key())?.lowercased() else { return nil }
        let host = template.source.contains("/") ? text : String(text.prefix { $0 != "/" })
        guard InputRules.isHostname(host) else {
            throw error(
                .badURL, key(), "\(text) is not a host name: write it without https:// and without a path")
        }
        return host
    }

    /// - Throws: `ResolutionError` if the value of an input could move the URL to another host.
    func checkURL(
        _ template: Template, isAuthority: Bool = false, key: @autoclosure () -> String
    ) throws(ResolutionError) {
        guard let refusal = template.refusal(ofInputs: rules, issuer: issuer, isAuthority: isAuthority) else { return }
        throw error(.badURL, key(), "the input \(refusal.input) \(refusal.reason); \(refusal.help)")
    }

    /// - Throws: `ResolutionError` for a secret input in what goes through a browser.
    func refuseSecrets(in list: NamedList<Template>, key: String) throws(ResolutionError) {
        for item in list.items where usesSecret(item.value) { _ = try fill(item.value, key: "\(key).\(item.name)") }
    }

    /// The template with the inputs in it; `nil` if it uses an optional input that has no value.
    ///
    /// - Parameter joinsWhatIsThere: Whether `join` leaves out such an input.
    func late(
        _ template: Template, joinsWhatIsThere: Bool = false, key: @autoclosure () -> String
    ) throws(ResolutionError) -> Template? {
        try checkInputs(of: template, key: key())
        if let unknown = template.references.first(where: { $0.origin != .request && !kept.contains($0) }) {
            let reason = unknown == .idToken ? "id_token.none drops" : "no key keeps"
            throw error(.unknownValue, key(), "\(reason) the value {\(unknown)}")
        }
        if let unknown = template.tables.first(where: { descriptor.tables[$0] == nil }) {
            throw error(.unknownValue, key(), "there is no table \"\(unknown)\" in tables")
        }
        return template.fillingInputs(keeping: Set(secrets.keys), joinsWhatIsThere: joinsWhatIsThere, value)
    }

    /// The templates that are filled at run time.
    func lateNamed(
        _ list: NamedList<Template>, key: @autoclosure () -> String
    ) throws(ResolutionError) -> [Named<Template>] {
        try allNamed(NamedList(list.items.filter { isLate($0.value) }), key: key())
    }

    /// What objects must have. One that uses an optional input without a value is left out; one that nothing fills stays,
    /// and no object meets it.
    func conditions(
        _ list: NamedList<Template>, key: @autoclosure () -> String
    ) throws(ResolutionError) -> [Named<Template>] {
        try list.items.collect { item throws(ResolutionError) in
            let filled = try late(item.value, key: "\(key()).\(item.name)")
            let isLeftOut = item.value.requiredInputNames.contains { value(of: $0) == nil && secrets[$0] == nil }
            return filled == nil && isLeftOut ? nil : Named(item.name, filled ?? item.value)
        }
    }

    private func isLate(_ template: Template) -> Bool { template.isLate || usesSecret(template) }

    /// All templates with the inputs in them.
    func allNamed(
        _ list: NamedList<Template>, joinsWhatIsThere: Bool = false, key: @autoclosure () -> String
    ) throws(ResolutionError) -> [Named<Template>] {
        try list.items.collect { item throws(ResolutionError) in
            try late(item.value, joinsWhatIsThere: joinsWhatIsThere, key: "\(key()).\(item.name)")
                .map { Named(item.name, $0) }
        }
    }

    func named(_ list: NamedList<Template>, key: @autoclosure () -> String) throws(ResolutionError) -> [Named<String>] {
        try list.items.collect { item throws(ResolutionError) in
            guard !isLate(item.value) else { return nil }
            return try fill(item.value, key: "\(key()).\(item.name)").map { Named(item.name, $0) }
        }
    }
}

extension Sequence {
    /// `compactMap`, which the standard library has only for errors without a type.
    func collect<Value, Failure: Error>(_ transform: (Element) throws(Failure) -> Value?) throws(Failure) -> [Value] {
        var values: [Value] = []
        for element in self { if let value = try transform(element) { values.append(value) } }
        return values
    }
}

extension InputRules {
    /// A value that the host gives, as people copy it from a browser: before a host, `https://` is ignored, and a slash at the
    /// end. What remains is checked as if it were written so, and names the same host.
    package func withoutScheme(_ value: String) -> String {
        guard type == .hostname || type == .hostPath else { return value }
        let scheme = "https://"
        let rest = value.prefix(scheme.count).lowercased() == scheme ? value.dropFirst(scheme.count) : value[...]
        return String(rest.hasSuffix("/") ? rest.dropLast() : rest)
    }

    /// Why the value is refused, or `nil`. The value itself is not repeated: it may be a secret typed at the wrong
    /// place.
    package func refusal(of value: String) -> String? {
        guard !value.isEmpty else { return "the value is empty" }
        guard value.utf8.count <= 1024 else { return "the value is longer than 1024 bytes" }
        let isWellFormed =
            switch type {
            case .identifier: value.utf8.allSatisfy(ASCII.isUnreserved) && value != "." && value != ".."
            case .hostname: Self.isHostname(value)
            case .hostPath: Self.isHostPath(value)
            case .text: value.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
            }
        guard isWellFormed else {
            return
                switch type
            {
            case .identifier: "only letters, digits and - . _ ~ are allowed"
            case .hostname:
                "the value must be a host name such as login.example.com, without https:// and without a path"
            case .hostPath:
                "the value must be a host name, and may have a path, such as example.com/tracker, without https:// and "
                    + "without a / at the end"
            case .text: "control characters are not allowed"
            }
        }
        if !allowed.isEmpty, !allowed.contains(value) { return "allowed: " + allowed.joined(separator: ", ") }
        if let pattern, !pattern.matches(value) { return "it must match \(pattern.source)" }
        return nil
    }

    fileprivate static func isHostname(_ value: String) -> Bool {
        guard let url = try? WebURL("https://" + value) else { return false }
        return url.path.isEmpty && url.query == nil
    }

    private static func isHostPath(_ value: String) -> Bool {
        let parts = value.split(separator: "/", omittingEmptySubsequences: false)
        return isHostname(String(parts[0]))
            && parts.dropFirst().allSatisfy { part in
                !part.isEmpty && part != "." && part != ".." && part.utf8.allSatisfy(ASCII.isUnreserved)
            }
    }
}
