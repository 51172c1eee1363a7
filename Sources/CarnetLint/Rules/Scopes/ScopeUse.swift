import CarnetDescriptors
import CarnetFoundation

/// One scope as it stands somewhere in a descriptor.
struct ScopeUse: Sendable {
    enum Place {
        /// `scopes.default`, `scopes.required` or `scopes.offline`.
        case requested
        case catalog
        case implied
        case resource
        /// A scope of another parameter.
        case extra
    }

    let scope: String
    let node: YAMLNode
    let place: Place
    /// The scope of the catalogue that implies it.
    var impliedBy: String?

    /// Whether an input is all of it: the host chooses, and may choose several.
    var isInput: Bool {
        scope.holds(UInt8(ascii: "{")) && (try? Template(scope, in: .anywhere))?.isInput == true
    }

    /// What is written of the scope outside of braces, with a stand-in for each function.
    var written: String {
        let template = scope.holds(UInt8(ascii: "{")) ? try? Template(scope, in: .anywhere) : nil
        return template?.outline ?? scope
    }

    static func all(in places: CarnetDescriptors.Place<DescriptorRules>) -> [ScopeUse] {
        var uses: [ScopeUse] = []
        func add(_ node: YAMLNode?, _ place: Place, impliedBy: String? = nil) {
            guard let node, let scope = node.scalar?.text else { return }
            uses.append(ScopeUse(scope: scope, node: node, place: place, impliedBy: impliedBy))
        }
        func add(_ nodes: [YAMLNode], _ place: Place, impliedBy: String? = nil) {
            for node in nodes { add(node, place, impliedBy: impliedBy) }
        }
        let scopes = places.scopes
        for list in [scopes.defaults, scopes.required, scopes.offline] { add(list.elements, .requested) }
        for entry in scopes.catalog.all {
            let id = entry.id
            add(id.node, .catalog)
            add(entry.implies.elements, .implied, impliedBy: id.text)
        }
        for resource in places.resources.all {
            add(resource.scope.node, .resource)
            add(resource.allOf.elements + resource.anyOf.elements, .resource)
        }
        for list in scopes.extra.entries { add(list.value.elements ?? [], .extra) }
        for further in places.profile.requests.all { add(further.anyOf.elements, .resource) }
        return uses
    }
}

extension [String] {
    /// Whether a text is in the list twice. A list of a few is quicker looked through than hashed.
    var hasRepeats: Bool {
        count > 16 ? Set(self).count < count : indices.contains { self[..<$0].contains(self[$0]) }
    }
}
