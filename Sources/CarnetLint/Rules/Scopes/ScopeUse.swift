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

    static func all(in places: CarnetDescriptors.Place<DescriptorRules>) -> [ScopeUse] {
        var uses: [ScopeUse] = []
        func add(_ node: YAMLNode?, _ place: Place) {
            guard let node, let scope = node.scalar?.text else { return }
            uses.append(ScopeUse(scope: scope, node: node, place: place))
        }
        func add(_ nodes: [YAMLNode], _ place: Place) {
            for node in nodes { add(node, place) }
        }
        let scopes = places.scopes
        for list in [scopes.defaults, scopes.required, scopes.offline] { add(list.elements, .requested) }
        for entry in scopes.catalog.all {
            add(entry.id.node, .catalog)
            add(entry.implies.elements, .implied)
        }
        for resource in places.resources.all {
            add(resource.scope.node, .resource)
            add(resource.allOf.elements + resource.anyOf.elements, .resource)
        }
        return uses
    }
}

extension ScopeRules {
    /// The scopes that a sign-in asks for.
    var requested: [String] { defaults + required + offline }
}
