package import CarnetDescriptors
import CarnetFoundation

extension GatewayProvider {
    /// What distinguishes the tenants of this provider, if its descriptor and the inputs of the file leave the tenant open.
    package func openTenants(in registry: ProviderRegistry) -> IssuerPattern? {
        guard let descriptor = descriptor(in: registry),
            case .template(let template, _, let form) = descriptor.issuerMatch,
            let provider = try? descriptor.resolve(
                inputs: descriptor.exampleInputs(Dictionary(inputs.items.map { ($0.name, $0.value) }) { $1 })),
            let tenants = provider.shared.tenants(of: nil)
        else { return nil }
        // Only a descriptor with a pattern can say whether the value is a tenant. Otherwise the file must at least choose one.
        let chosen = (descriptor.issuer?.inputNames ?? []).filter { name in
            !template.inputNames.contains(name) && inputs.contains(name)
                && inputs[name].map { $0.isSameBytes(as: descriptor.inputs[name]?.defaultValue?.source ?? "") } == false
        }
        return form == nil && !chosen.isEmpty ? nil : tenants
    }

    /// Whether everybody can get an account at this provider: by registering, or by opening a tenant.
    func isOpenToAnyone(in registry: ProviderRegistry) -> Bool {
        descriptor(in: registry).map { $0.accounts == .anyone || openTenants(in: registry) != nil } ?? false
    }

    /// The descriptor for the environment of the file.
    func descriptor(in registry: ProviderRegistry) -> ProviderDescriptor? {
        try? registry.descriptor(id).variant(environment)
    }
}

extension GatewayRules {
    /// The providers of a condition; all without `provider`.
    func providers(of condition: GatewayCondition) -> [GatewayProvider] {
        providers.filter { condition.providers.isEmpty || condition.providers.contains($0.id) }
    }
}
