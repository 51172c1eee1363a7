package import CarnetDescriptors
import CarnetFoundation

extension ProviderDescriptor {
    /// Values for the inputs: the given ones, then defaults and examples, then generated ones that fit the rules.
    ///
    /// - Parameter clientID: That of the test client; `nil` for that of a simulation.
    /// - Returns: the values, and the inputs for which none could be made up.
    package func simulatedInputs(
        _ given: [String: String] = [:], clientID: String? = nil
    ) -> (values: [String: String], missing: [String]) {
        var values = exampleInputs(given, clientID: clientID ?? Simulation.clientID)
        var missing: [String] = []
        for input in self.inputs.items where values[input.name] == nil {
            let rules = input.value
            guard rules.defaultValue == nil || rules.isOfClient, !rules.isOptional else { continue }
            let isHost = rules.type == .hostname || rules.type == .hostPath
            let usual = isHost ? "\(input.name).example".replacing("_", with: "-") : "example"
            let candidates = [usual, rules.pattern?.shortestValue].compactMap { $0 }
            values[input.name] = candidates.first { rules.refusal(of: $0) == nil }
            if values[input.name] == nil { missing.append(input.name) }
        }
        return (values, missing)
    }
}
