import CarnetFoundation

/// A named variant of a provider that differs in hosts: a partial descriptor, merged over the rest.
package struct EnvironmentRules: Sendable {
    /// The variant as it is written.
    let tree: YAMLNode

    /// What all environments have in common.
    static let fixedKeys = DescriptorRules.ownKeys.union(["environments"])
}

extension EnvironmentRules: DescriptorValue {
    static var shape: Shape { .variant(without: fixedKeys) }
    /// Each costs as much as the descriptor.
    static var maximumCount: Int { 16 }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let entries = decoder.expect(node.entries, node, Self.shape) else { return nil }
        let allowed = DescriptorRules.keys.map(\.description.name).filter { !Self.fixedKeys.contains($0) }
        for entry in entries where Self.fixedKeys.contains(entry.key) {
            decoder.reportUnknownKey(entry, allowed: allowed)
        }
        decoder.reading(aPart: true) { _ = DescriptorRules(node.withoutEntries(Self.fixedKeys), &$0) }
        tree = node
    }

    func json(_ filler: TemplateFiller) -> JSONValue? { JSONValue(tree) }
}

extension DescriptorRules {
    /// Reads the variants of a tree that was read without an error.
    fileprivate mutating func addVariants(of root: YAMLNode, _ decoder: inout DescriptorDecoder) {
        for environment in environments.items {
            let tree = ProviderDescriptor.variantTree(environment.value.tree, of: root)
            guard var variant = DescriptorRules(tree, &decoder) else { continue }
            variant.environment = environment.name
            variants.append(Named(environment.name, ProviderDescriptor(variant)))
        }
    }
}

extension ProviderDescriptor {
    /// - Returns: `nil` if the tree is no mapping.
    init?(_ root: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard var rules = DescriptorRules(root, &decoder) else { return nil }
        if decoder.diagnostics.isEmpty { rules.addVariants(of: root, &decoder) }
        self.init(rules)
    }

    /// A variant laid over the rest of the descriptor.
    static func variantTree(_ tree: YAMLNode, of root: YAMLNode) -> YAMLNode {
        tree.merged(over: root.withoutEntries(["environments"]))
    }

    /// The names of the environments that can be chosen.
    package var environmentNames: [String] { self.environments.names }

    /// The descriptor as it is, and in every environment.
    package var everyEnvironment: [ProviderDescriptor] { [self] + environmentNames.compactMap { try? variant($0) } }

    /// The descriptor of an environment.
    ///
    /// - Parameter name: `nil` for the descriptor as it is.
    /// - Throws: `ResolutionError` with the nearest name.
    package func variant(_ name: String?) throws(ResolutionError) -> ProviderDescriptor {
        guard let name, name != self.environment else { return self }
        guard var variant = self.variants.first(where: { $0.name == name })?.value.shared.value else {
            let names = environmentNames
            let hint =
                nearestName(to: name, in: names).map { "did you mean \($0)?" }
                ?? (names.isEmpty
                    ? "this provider has no environments" : "its environments are " + names.joined(separator: ", "))
            throw ResolutionError(
                kind: .unknownEnvironment, provider: id, key: "environments.\(name)",
                reason: "unknown environment; \(hint)")
        }
        variant.isFromNamedPlace = self.isFromNamedPlace
        variant.environments = self.environments
        variant.variants = self.variants
        return ProviderDescriptor(variant)
    }
}
