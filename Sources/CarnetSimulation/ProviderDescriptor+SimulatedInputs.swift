package import CarnetDescriptors
import CarnetFoundation

extension ProviderDescriptor {
    /// Values for the inputs: the given ones, then defaults and examples, then generated ones that fit the rules.
    ///
    /// - Returns: the values, and the inputs for which none could be made up.
    package func simulatedInputs(_ given: [String: String] = [:]) -> (values: [String: String], missing: [String]) {
        var values = exampleInputs(given)
        var missing: [String] = []
        for input in self.inputs.items where values[input.name] == nil {
            let rules = input.value
            guard rules.defaultValue == nil, !rules.isOptional else { continue }
            let isHost = rules.type == .hostname || rules.type == .hostPath
            let candidate = isHost ? "\(input.name).example".replacing("_", with: "-") : "example"
            if rules.refusal(of: candidate) == nil {
                values[input.name] = candidate
            } else {
                missing.append(input.name)
            }
        }
        return (values, missing)
    }
}
