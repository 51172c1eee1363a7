import CarnetDescriptors
import CarnetFoundation
import CarnetSimulation

/// The inputs of a test client, and which of them have no value. None is a real secret.
struct SimulatedInputs {
    let values: [String: String]
    /// What stands for an input that was not given, or is secret, where it is not the client's id.
    let madeUp: [Named<String>]

    /// - Throws: `Failure` that lists every input for which no value can be made up.
    init(for descriptor: ProviderDescriptor, given: [String: String], clientID: String? = nil) throws {
        let (values, missing) = descriptor.simulatedInputs(given, clientID: clientID)
        guard missing.isEmpty else { throw Failure(descriptor, lacking: missing) }
        self.values = values
        let defaults = descriptor.defaultInputs(given, clientID: clientID)
        madeUp = descriptor.inputs.names.compactMap { name in
            [given[name], defaults[name]].contains(values[name]) ? nil : values[name].map { Named(name, $0) }
        }
    }
}

extension Failure {
    fileprivate init(_ descriptor: ProviderDescriptor, lacking missing: [String]) {
        let noun = missing.count == 1 ? "an input" : "\(missing.count) inputs"
        let options = missing.map { name in
            let rules = descriptor.inputs[name]
            let wanted = rules?.allowed.isEmpty == false ? rules?.allowed.joined(separator: " or ") : nil
            let pattern = rules?.pattern.map { "which matches \($0.source)" }
            let remark = [rules?.title, rules?.description, wanted, pattern].compactMap { $0 }.joined(separator: ", ")
            guard !descriptor.hasSecretInput(name) else {
                return "add an example to inputs.\(name) of the descriptor: a test client gets no real secret"
            }
            return "add --input \(name)=VALUE" + (remark.isEmpty ? "" : "  (\(remark))")
        }
        self.init(
            .usage, "\(descriptor.id) needs \(noun), and its descriptor has no example",
            details: [Failure.Detail(name: "missing_inputs", text: missing.joined(separator: " "))], next: options)
    }
}
