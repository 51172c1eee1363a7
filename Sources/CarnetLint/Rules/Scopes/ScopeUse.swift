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
        func add(_ nodes: [YAMLNode?], _ place: Place) {
            for node in nodes {
                guard let node, let scope = node.scalar?.text else { continue }
                uses.append(ScopeUse(scope: scope, node: node, place: place))
            }
        }
        for key in ["default", "required", "offline"] { add(root.elements(at: ["scopes", key]), .requested) }
        for entry in root.elements(at: ["scopes", "catalog"]) {
            add([entry.scalar == nil ? entry.entry("id")?.value : entry], .catalog)
            add(entry.entry("implies")?.value.elements ?? [], .implied)
        }
        for resource in root.elements(at: ["resources"]) {
            add([resource.entry("scope")?.value], .resource)
            for key in ["all_of", "any_of"] { add(resource.entry(key)?.value.elements ?? [], .resource) }
        }
        return uses
    }
}

extension ScopeRules {
    /// The scopes that a sign-in asks for.
    var requested: [String] { defaults + required + offline }
}
