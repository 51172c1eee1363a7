package import CarnetDescriptors
import CarnetFoundation
package import CarnetLint

/// The simulation of `carnet lint`: the requests of a test client, and the samples as responses to them.
package struct SampleSimulator: DescriptorSimulator {
    package init() {}

    package func check(_ contexts: [LintContext]) -> [[Diagnostic]] {
        // Each step is done for all descriptors before the next one: see `Linter`.
        let simulated = contexts.map(simulate)
        var found = zip(contexts, simulated).map { context, simulated in
            switch simulated {
            case .findings(let findings): findings
            case .simulation(let simulation): RequestFindings(simulation: simulation, context: context).all
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
        let (inputs, missing) = descriptor.simulatedInputs()
        guard missing.isEmpty else { return .findings(inputsWithoutExample(missing, context)) }
        let stated = descriptor.exampleInputs()
        let invented = descriptor.inputs.names.filter { inputs[$0] != nil && stated[$0] == nil }
        // The samples have no place that was made up.
        let places = invented.filter(context.inputsOfPointers.contains)
        guard places.isEmpty else { return .findings(inputsWithoutExample(places, context)) }
        let provider: Provider
        do throws(ResolutionError) {
            provider = try descriptor.resolve(inputs: inputs)
        } catch {
            // A value that was made up may be what does not fit.
            guard invented.isEmpty else { return .findings(inputsWithoutExample(invented, context)) }
            return .findings([
                context.finding(
                    .requestNotMade, "the engine refuses the descriptor: \(error.reason)",
                    at: context.document.span(of: error.key.split(separator: ".").map(String.init)),
                    help: "correct the key, or the examples of its inputs")
            ])
        }
        let unknown = capturesWithoutExample(context)
        return unknown.isEmpty ? .simulation(Simulation(provider)) : .findings(unknown)
    }

    private func inputsWithoutExample(_ names: [String], _ context: LintContext) -> [Diagnostic] {
        names.map { name in
            context.finding(
                .inputWithoutExample, "Carnet cannot simulate the descriptor, because \"\(name)\" has no example",
                at: context.places.inputs[name].keySpan, help: "add 'example: VALUE' to the input")
        }
    }

    /// Values that a sign-in needs, and neither an example nor a sample has. With a sample, the engine rejects it.
    private func capturesWithoutExample(_ context: LintContext) -> [Diagnostic] {
        let (descriptor, places) = (context.descriptor, context.places)
        func missing(
            _ captures: NamedList<ResponseCapture>, _ origin: TemplateOrigin,
            _ place: Place<NamedList<ResponseCapture>>,
            sample: String? = nil
        ) -> [Diagnostic] {
            captures.items.filter { !$0.value.isOptional && $0.value.example == nil }.map { capture in
                context.finding(
                    .inputWithoutExample,
                    "Carnet cannot simulate the descriptor, because {\(origin.rawValue).\(capture.name)} has no example",
                    at: place[capture.name].keySpan,
                    help: (sample.map { "add \($0), or " } ?? "") + "write { from: POINTER, example: VALUE }")
            }
        }
        var found =
            descriptor.samples.token == nil
            ? missing(
                descriptor.token.response.capture, .token, places.token.response.capture, sample: "samples.token") : []
        for grant in [RequestKind.clientCredentials, .deviceToken, .tokenExchange, .jwtBearer] {
            guard let rules = descriptor.response(of: grant) else { continue }
            found += missing(rules.capture, .token, places.response(of: grant).capture)
        }
        for step in descriptor.exchange.items where step.value.sample == nil && !step.value.isOptional {
            let (place, sample) = (places.exchange[step.name], "exchange.\(step.name).sample")
            found += missing(step.value.capture, .step, place.capture, sample: sample)
            guard step.value.result == .tokens else { continue }
            found += missing(step.value.response.capture, .token, place.response.capture, sample: sample)
        }
        return found
    }
}
