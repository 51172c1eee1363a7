import CarnetFoundation

extension ProviderDescriptor {
    /// Fills the templates with a registration's inputs.
    ///
    /// - Parameter environment: The name of an environment; `nil` for the descriptor without one.
    /// - Throws: `ResolutionError` that names the input, the environment or the key.
    public func resolve(
        inputs: [String: String] = [:], environment: String? = nil
    ) throws(ResolutionError) -> Provider {
        try resolve(inputs: inputs, environment: environment, clientID: nil)
    }

    /// The same for a client, whose id inputs may have by default.
    package func resolve(
        inputs: [String: String], environment: String? = nil, clientID: String?
    ) throws(ResolutionError) -> Provider {
        let descriptor = try variant(environment)
        let resolver = try InputResolver(descriptor, values: inputs, clientID: clientID)
        return try Provider(try resolver.fillingPointers(of: descriptor), with: resolver)
    }

    /// Inputs for a test client: the given ones, then examples. A test client gets no real secret: for each secret input
    /// it has the example or `simulated-NAME`, even if a value is given. An input that is the client id by default has it, too:
    /// a sandbox knows several clients. Without an example it is the id of the test client, if it can be.
    package func exampleInputs(_ given: [String: String] = [:], clientID: String? = nil) -> [String: String] {
        var values = given
        for (name, rules) in self.inputs.items.map({ ($0.name, $0.value) }) {
            if rules.isSecret { values[name] = nil }
            guard values[name] == nil, rules.defaultValue == nil || rules.isOfClient else { continue }
            values[name] = rules.example ?? rules.allowed.first
            if rules.isOfClient, values[name] == nil {
                let own = defaultInputs(values, clientID: clientID)[name]
                values[name] = defaultInputs(values)[name] ?? own.flatMap { rules.refusal(of: $0) == nil ? $0 : nil }
            }
            guard rules.isSecret, values[name] == nil, given[name] != nil || !rules.isOptional else { continue }
            let simulated = "simulated-\(name)"
            if rules.refusal(of: simulated) == nil { values[name] = simulated }
        }
        return values
    }

    /// The values that inputs have by default beside given ones. A default that never gets a value is not there.
    package func defaultInputs(_ given: [String: String], clientID: String? = nil) -> [String: String] {
        InputResolver.defaults(of: self.inputs, given, clientID: clientID ?? self.client.publishedID)
    }

    /// The values of inputs that the descriptor itself states: that of each example, else the only value or the default.
    package var statedInputs: [String: String] {
        var stated: [String: String] = [:]
        for input in self.inputs.items where !input.value.isSecret {
            stated[input.name] = input.value.example ?? (input.value.allowed.count == 1 ? input.value.allowed[0] : nil)
        }
        return defaultInputs(stated).merging(stated) { $1 }
    }

    /// Whether an input is secret, here or in an environment.
    package func hasSecretInput(_ name: String) -> Bool {
        ([self] + self.variants.map(\.value)).contains { $0.inputs[name]?.isSecret == true }
    }

    /// The same with one audience for all that the client signs.
    package func signing(for audience: String) -> ProviderDescriptor {
        var descriptor = self
        let template = Template(audience, parts: [.literal(audience)])
        descriptor.client.assertion.audience = template
        descriptor.jwtBearer.assertion.rules.audience = template
        descriptor.authorization.requestObject.audience = template
        descriptor.variants = self.variants.map { Named($0.name, $0.value.signing(for: audience)) }
        return descriptor
    }
}
