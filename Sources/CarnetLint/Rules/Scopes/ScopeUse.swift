import CarnetDescriptors

/// One scope as it stands somewhere in a descriptor.
struct ScopeUse: Sendable {
    enum Place {
        /// `scopes.default`, `scopes.required` or `scopes.offline`.
        case requested
        case catalog
        case implied
        case resource
    }

    let scope: String
    let node: YAMLNode
    let place: Place

    static func all(in root: YAMLNode) -> [ScopeUse] {
        var uses: [ScopeUse] = []
        func add(_ node: YAMLNode?, _ place: Place) {
            guard let node, let scope = node.scalar?.text else { return }
            uses.append(ScopeUse(scope: scope, node: node, place: place))
        }
        func add(listed node: YAMLNode?, _ place: Place) {
            for element in node?.elements ?? [] { add(element, place) }
        }
        let scopes = root.entry("scopes")?.value
        for key in ["default", "required", "offline"] { add(listed: scopes?.entry(key)?.value, .requested) }
        for entry in scopes?.entry("catalog")?.value.elements ?? [] {
            add(entry.scalar == nil ? entry.entry("id")?.value : entry, .catalog)
            add(listed: entry.entry("implies")?.value, .implied)
        }
        for resource in root.entry("resources")?.value.elements ?? [] {
            add(resource.entry("scope")?.value, .resource)
            for key in ["all_of", "any_of"] { add(listed: resource.entry(key)?.value, .resource) }
        }
        return uses
    }
}

extension ScopeRules {
    /// The scopes that a sign-in asks for.
    var requested: [String] { defaults + required + offline }
}
