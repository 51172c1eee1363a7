package import CarnetDescriptors
package import CarnetLint

/// The simulation of `carnet lint`: the requests of a test client, and the samples as responses to them.
package struct SampleSimulator: DescriptorSimulator {
    private let needsSamples: Bool

    /// - Parameter needsSamples: Whether a descriptor without samples is left alone.
    package init(needsSamples: Bool = true) {
        self.needsSamples = needsSamples
    }

    package func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        let hasSamples = !descriptor.samples.isEmpty || descriptor.exchange.items.contains { $0.value.sample != nil }
        guard !needsSamples || hasSamples else { return [] }
        let (inputs, missing) = descriptor.simulatedInputs()
        guard missing.isEmpty else {
            return missing.map { name in
                SimulationDiagnostics.inputWithoutExample.diagnostic(
                    "Carnet cannot simulate the descriptor, because \"\(name)\" has no example",
                    file: context.path,
                    span: context.places.inputs[name].keySpan,
                    help: "add 'example: VALUE' to the input"
                )
            }
        }
        // If the descriptor does not resolve, rules about inputs and URLs report it.
        guard let provider = try? descriptor.resolve(inputs: inputs) else { return [] }
        let simulation = Simulation(provider)
        let requests = RequestFindings(simulation, context).all
        return requests.isEmpty ? SampleFindings(simulation, context).all : requests
    }
}
