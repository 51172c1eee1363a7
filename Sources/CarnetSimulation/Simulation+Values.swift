import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// What a sign-in would bring, by the examples and samples of the descriptor.
extension Simulation {
    static func collected(at provider: DiscoveredProvider, as registration: ClientRegistration, _ tokens: TokenSet)
        -> ConnectionValues
    {
        var collected = ConnectionValues(tokens: tokens)
        func collect(_ origin: String, _ name: String, _ text: String?, isSecret: Bool = false) {
            if let text { collected.values["\(origin).\(name)"] = ConnectionValue(text, isSecret: isSecret) }
        }
        func collect(
            _ origin: String, _ captures: NamedList<ResponseCapture>, of sample: JSONValue?,
            as format: ResponseFormat? = nil
        ) {
            let sample = format.map { Self.stated(sample, as: $0) } ?? sample
            for rule in captures.items {
                let pointers = rule.value.pointers.pointers
                let isThere = sample?.hasMember(at: pointers) == true
                let found = isThere ? sample?.firstStated(of: pointers)?.scalarText : rule.value.example
                collect(origin, rule.name, found, isSecret: rule.value.isSecret)
            }
        }
        let sent = standardCallback(provider)
        for rule in provider.callback.capture.items {
            let standard = sent.first { $0.name == rule.parameter && !$0.value.isEmpty }
            let text = standard?.value ?? rule.example(in: provider.samples)
            collect("callback", rule.name, text, isSecret: rule.value.isSecret)
        }
        let rules = provider.token.response
        collect("token", rules.capture, of: provider.samples.token, as: rules.format)
        for step in provider.exchange {
            collect("step", step.value.capture, of: step.value.sample, as: step.value.response.format)
        }
        func requests() -> ConnectionRequest {
            ConnectionRequest(
                at: provider, as: registration, with: collected, tokens: tokens, now: now,
                random: SimulatedRandomSource())
        }
        func derive() {
            for name in provider.connection.derive.names where collected.values["connection.\(name)"] == nil {
                collected.values["connection.\(name)"] = (try? requests().derived(name)) ?? nil
            }
        }
        derive()
        for lookup in provider.connection.lookups.items {
            let candidates = (stated(lookup.value.sample, as: .auto)?.candidates(at: lookup.value.root) ?? []).filter {
                $0.meets(lookup.value.fixedConditions)
                    && $0.firstStated(of: lookup.value.value.pointers)?.scalarText != nil
            }
            let conditions = requests().conditions(lookup.value)
            // The sandbox makes a candidate meet the values of another customer.
            let chosen = conditions.flatMap { conditions in
                candidates.first { $0.meets(conditions) } ?? candidates.first
            }
            collect("connection", lookup.name, chosen?.firstStated(of: lookup.value.value.pointers)?.scalarText)
            collect("connection", lookup.value.capture, of: chosen)
            derive()
        }
        return collected
    }

    /// The callback's parameters with those that are kept, and signed where the provider signs.
    func completed(_ parameters: [Named<String>]) -> [Named<String>] {
        var parameters = parameters
        for rule in provider.callback.capture.items where !parameters.contains(where: { $0.name == rule.parameter }) {
            parameters.append(Named(rule.parameter, rule.example(in: provider.samples)))
        }
        guard let rule = provider.callback.verification, let secret = registration.clientSecret
        else { return parameters }
        parameters.removeAll { $0.name == rule.parameter }
        let signature = rule.signature(of: parameters.map { ($0.name, $0.value) }, secret: secret)
        return parameters + [Named(rule.parameter, signature)]
    }
}
