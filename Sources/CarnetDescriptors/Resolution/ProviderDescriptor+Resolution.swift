extension ProviderDescriptor {
    /// Fills the templates with a registration's inputs.
    ///
    /// - Parameter environment: The name of an environment; `nil` for the descriptor without one.
    /// - Throws: `ResolutionError` that names the input, the environment or the key.
    public func resolve(
        inputs: [String: String] = [:],
        environment: String?
    ) throws(ResolutionError) -> Provider {
        try variant(environment).resolve(inputs: inputs)
    }

    /// Fills the templates with a registration's inputs.
    ///
    /// - Throws: `ResolutionError` that names the input or the key.
    public func resolve(inputs: [String: String] = [:]) throws(ResolutionError) -> Provider {
        try Provider(self, with: InputResolver(self, values: inputs))
    }

    /// Inputs for a test client: the given ones, then examples.
    package func exampleInputs(_ given: [String: String] = [:]) -> [String: String] {
        var values = given
        for input in inputs.items where values[input.name] == nil && input.value.defaultValue == nil {
            values[input.name] = input.value.example ?? input.value.allowed.first
        }
        return values
    }
}
