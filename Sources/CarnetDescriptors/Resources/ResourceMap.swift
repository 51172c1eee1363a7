/// The resources, and the scopes that each needs.
///
/// The entries come from a descriptor's `resources`, or from a separate file: a list of entries, or a mapping with
/// the key `resources`. A JSON array of `{scope, title, url}` is valid YAML too.
public struct ResourceMap: Sendable {
    public let resources: [Resource]
    /// The descriptor's resources whose URL is not known, by their names, with the reason.
    package private(set) var unknown: [(names: [String], reason: String)] = []
    private let implied: [String: [String]]

    /// - Parameter scopes: The provider's scopes, for what each implies.
    package init(_ resources: [Resource], scopes: ScopeRules) {
        self.resources = resources
        implied = Dictionary(scopes.catalog.map { ($0.id, $0.implies) }) { first, _ in first }
    }

    package init(of provider: some ProviderStage) {
        self.init(provider.resources, scopes: provider.scopes)
        unknown = provider.unknownResources
    }

    /// Every resource in file order, with its missing scopes.
    public func access(granted: [String]) -> [ResourceAccess] {
        let effective = effectiveScopes(granted)
        return resources.map { ResourceAccess(resource: $0, missing: $0.requirement.missing(from: effective)) }
    }

    /// The resources that the granted scopes allow, in file order.
    package func open(granted: [String]) -> [Resource] {
        access(granted: granted).filter(\.isOpen).map(\.resource)
    }

    /// The resource with an id, else the only one with a title.
    package func resource(named name: String) -> Resource? {
        if let match = resources.first(where: { $0.id == name }) { return match }
        let titled = resources.filter { $0.title == name }
        return titled.count == 1 ? titled[0] : nil
    }

    /// The granted scopes with all that they imply.
    package func effectiveScopes(_ granted: [String]) -> Set<String> {
        var effective = Set<String>()
        var open = granted
        while let scope = open.popLast() {
            if effective.insert(scope).inserted { open += implied[scope] ?? [] }
        }
        return effective
    }
}

/// A resource, and its missing scopes.
public struct ResourceAccess: Sendable {
    public let resource: Resource
    /// The scopes to request; empty if the resource is allowed.
    public let missing: [String]

    public var isOpen: Bool { missing.isEmpty }
}
