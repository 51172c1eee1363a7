import CarnetDescriptors

/// Descriptors from YAML text.
enum ResolutionFixture {
    static let head = "carnet: 1\nid: acme\nname: Acme\n"

    /// - Throws: `NoDescriptor` if the text is none: the test itself is wrong.
    static func descriptor(_ yaml: String) throws -> ProviderDescriptor {
        let document = DescriptorDocument(SourceFile(path: "fixture.yaml", bytes: Array((head + yaml).utf8)))
        guard let descriptor = document.descriptor else {
            throw NoDescriptor(reasons: document.diagnostics.map(\.message))
        }
        return descriptor
    }

    static func provider(_ yaml: String, inputs: [String: String] = [:]) throws -> Provider {
        try descriptor(yaml).resolve(inputs: inputs)
    }

    struct NoDescriptor: Error {
        let reasons: [String]
    }
}
