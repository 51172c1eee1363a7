extension ProviderDescriptor {
    /// Fills the templates with a registration's inputs.
    ///
    /// - Parameter environment: The name of an environment; `nil` for the descriptor without one.
    /// - Throws: `ResolutionError` that names the input, the environment or the key.
    public func resolve(
        inputs: [String: String] = [:],
        environment: String? = nil
    ) throws(ResolutionError) -> Provider {
        let descriptor = try variant(environment)
        return try Provider(descriptor, with: InputResolver(descriptor, values: inputs))
    }

    /// Inputs for a test client: the given ones, then examples.
    package func exampleInputs(_ given: [String: String] = [:]) -> [String: String] {
        var values = given
        for input in self.inputs.items where values[input.name] == nil && input.value.defaultValue == nil {
            values[input.name] = input.value.example ?? input.value.allowed.first
        }
        return values
    }
}
