package import CarnetDescriptors
import CarnetFoundation
package import CarnetLint

/// The simulation of `carnet lint`: the requests of a test client, and the samples as responses to them.
package struct SampleSimulator: DescriptorSimulator {
    private let needsSamples: Bool

    /// - Parameter needsSamples: Whether a descriptor without samples is left alone.
    package init(needsSamples: Bool = true) {
        self.needsSamples = needsSamples
    }

    package func check(_ contexts: [LintContext]) -> [[Diagnostic]] {
        // Each step is done for all descriptors before the next one: see `Linter`.
        let simulated = contexts.map(simulate)
        var found = zip(contexts, simulated).map { context, simulated in
            switch simulated {
            case .findings(let findings): findings
            case .simulation(let simulation): RequestFindings(simulation, context).all
            }
        }
        for (index, simulated) in simulated.enumerated() {
            guard case .simulation(let simulation) = simulated, found[index].isEmpty else { continue }
            found[index] = SampleFindings(simulation, contexts[index]).all
        }
        return found
    }

    private enum Simulated {
        case simulation(Simulation)
        /// Why there is no simulation.
        case findings([Diagnostic])
    }

    private func simulate(_ context: LintContext) -> Simulated {
        let descriptor = context.descriptor
        let hasSamples =
            !descriptor.samples.isEmpty || descriptor.exchange.items.contains { $0.value.sample != nil }
            || descriptor.profile.requests.contains { $0.sample != nil }
        guard !needsSamples || hasSamples else { return .findings([]) }
        let (inputs, missing) = descriptor.simulatedInputs()
        guard missing.isEmpty else {
            return .findings(
                missing.map { name in
                    SimulationDiagnostics.inputWithoutExample.diagnostic(
                        "Carnet cannot simulate the descriptor, because \"\(name)\" has no example",
                        file: context.path,
                        span: context.places.inputs[name].keySpan,
                        help: "add 'example: VALUE' to the input"
                    )
                })
        }
        // If the descriptor does not resolve, rules about inputs and URLs report it.
        guard let provider = try? descriptor.resolve(inputs: inputs) else { return .findings([]) }
        return .simulation(Simulation(provider))
    }
}
