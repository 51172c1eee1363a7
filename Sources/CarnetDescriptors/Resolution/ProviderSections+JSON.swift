package import CarnetFoundation

extension ProviderSections {
    /// All keys of the descriptor language with the values of this provider: written, inherited, or the defaults. Templates are
    /// filled with the inputs; those that wait for the run time, or use a secret input, stay as they are written.
    ///
    /// The table of keys writes it, so a new key needs no code here.
    package var json: JSONValue {
        let names = Set(descriptor.inputs.items.filter { !$0.value.isSecret }.map(\.name)).union([Template.issuerName])
        let values = inputs.merging([Template.issuerName: issuer].compactMapValues { $0 }) { own, _ in own }
        let all = descriptor.shared.value.json { template in
            guard !template.isLate, names.isSuperset(of: template.inputNames) else { return template.source }
            return template.filled { values[$0] }
        }
        return all ?? .object(JSONObject())
    }
}
