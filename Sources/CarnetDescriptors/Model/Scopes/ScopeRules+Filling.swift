import CarnetFoundation

extension ScopeRules {
    /// Whether a scope is a template. Nearly none is, so that scopes stay strings.
    var hasPlaces: Bool {
        defaults.hasPlaces || required.hasPlaces || offline.hasPlaces
            || catalog.contains { $0.id.hasPlaces || $0.implies.hasPlaces }
            || extra.items.contains { $0.value.hasPlaces }
    }

    /// The rules with their templates filled, without the scopes that use a value which is not there.
    ///
    /// Each template is filled once, so that a brace in a value begins no template.
    func filled<Failure: Error>(
        _ fill: (_ template: Template, _ key: String) throws(Failure) -> String?
    ) throws(Failure) -> ScopeRules {
        func filled(_ scopes: [String], _ key: String) throws(Failure) -> [String] {
            var all: [String] = []
            for scope in scopes { all += try scope.filledScopes(key, fill) }
            return all
        }
        var rules = self
        rules.defaults = try filled(defaults, "scopes.default")
        rules.required = try filled(required, "scopes.required")
        rules.offline = try filled(offline, "scopes.offline")
        rules.extra.items = try extra.items.map { item throws(Failure) in
            Named(item.name, try filled(item.value, "scopes.extra.\(item.name)"))
        }
        rules.catalog = []
        for entry in catalog {
            let implied = try filled(entry.implies, "scopes.catalog")
            rules.catalog += try entry.id.filledScopes("scopes.catalog", fill).map {
                ScopeEntry(id: $0, title: entry.title, implies: implied)
            }
        }
        return rules
    }
}

extension ResourceEntry {
    /// The entry with the inputs in its scopes.
    func fillingScopes(with resolver: InputResolver, key: String) throws(ResolutionError) -> ResourceEntry {
        guard scope?.hasPlaces == true || allOf.hasPlaces || anyOf.hasPlaces else { return self }
        func filled(_ scopes: [String], _ name: String) throws(ResolutionError) -> [String] {
            var all: [String] = []
            for scope in scopes {
                let filled = try scope.filledScopes("\(key).\(name)") { template, key throws(ResolutionError) in
                    try resolver.fill(template, key: key)
                }
                // Without its scope, the resource would be open to all.
                guard !filled.isEmpty else {
                    throw resolver.error(
                        .missingInput, "\(key).\(name)", "it uses an optional input that has no value")
                }
                all += filled
            }
            return all
        }
        var entry = self
        let needed = try filled(scope.map { [$0] } ?? [], "scope")
        entry.scope = needed.first
        entry.allOf = try filled(allOf, "all_of") + needed.dropFirst()
        entry.anyOf = try filled(anyOf, "any_of")
        return entry
    }
}

extension Provider {
    /// The provider with the scopes of one client.
    ///
    /// - Parameter values: What the registration knows.
    package func scopeRules(of values: @autoclosure () -> TemplateValues) -> ScopeRules {
        guard let written = shared.sections.lateScopes else { return shared.sections.scopes }
        let values = values()
        return written.filled { template, _ in
            template.fillingInputs { self.inputs[$0] }.flatMap { values.fill($0)?.text }
        }
    }
}

extension String {
    var hasPlaces: Bool { holds(UInt8(ascii: "{")) }

    /// The scope with its inputs. An input that is all of it may be several scopes, with spaces between them.
    fileprivate func filledScopes<Failure: Error>(
        _ key: String, _ fill: (_ template: Template, _ key: String) throws(Failure) -> String?
    ) throws(Failure) -> [String] {
        guard hasPlaces, let template = try? Template(self, in: .authorization) else { return [self] }
        guard let text = try fill(template, key) else { return [] }
        return template.isInput ? text.split(separator: " ").map(String.init) : [text]
    }
}

extension [String] {
    fileprivate var hasPlaces: Bool { contains { $0.hasPlaces } }
}

extension Key {
    /// A key with scopes, which may be templates.
    ///
    /// - Parameter place: What a scope may use.
    @inline(__always)
    init<Value: DescriptorValue>(
        _ name: String, _ path: any WritableKeyPath<Section, Value> & Sendable, scopesIn place: TemplatePlace,
        isRequired: Bool = false, _ summary: String
    ) {
        self.init(name, path, Value.shape.ofScopes(in: place), isRequired: isRequired, summary) { node, decoder in
            defer { decoder.checkScopes(node, in: place) }
            return Value(node, &decoder)
        } write: {
            $0.json($1)?.fillingScopes($1)
        }
    }
}

extension JSONValue {
    fileprivate func fillingScopes(_ filler: TemplateFiller) -> JSONValue? {
        switch self {
        case .string(let scope):
            let scopes = scope.filledScopes("") { template, _ in filler(template) }
            return scopes.isEmpty ? nil : .string(scopes.joined(separator: " "))
        case .array(let values):
            return .array(
                values.flatMap { value in
                    value.string?.filledScopes("") { template, _ in filler(template) }.map { .string($0) }
                        ?? [value.fillingScopes(filler)].compactMap { $0 }
                })
        case .object(let object):
            var filled = JSONObject()
            for member in object.members { filled[member.name] = member.value.fillingScopes(filler) }
            return .object(filled)
        case .null, .bool, .number: return self
        }
    }
}

extension Shape {
    fileprivate func ofScopes(in place: TemplatePlace) -> Shape {
        switch self {
        case .text: .text(Template.phrase(in: place), pattern: Template.pattern(in: place).dropLast(2) + "+$")
        case .list(let element): .list(of: element.ofScopes(in: place))
        case .map(let value): .map(of: value.ofScopes(in: place))
        default: self
        }
    }
}

extension DescriptorDecoder {
    fileprivate mutating func checkScopes(_ node: YAMLNode, in place: TemplatePlace) {
        if let scalar = node.scalar {
            if scalar.text.hasPlaces || scalar.text.holds(UInt8(ascii: "}")) { _ = Template(node, in: place, &self) }
            return
        }
        for part in (node.elements ?? []) + (node.entries ?? []).map(\.value) { checkScopes(part, in: place) }
    }
}
