import CarnetDescriptors
import CarnetProtocol

/// A descriptor with everything that a pretend client needs to sign in with it.
struct TrialSetup {
    let entry: ProviderRegistry.Entry
    let provider: Provider
    let client: PretendClient
    /// Inputs that nobody gave, with the descriptor's own example for each.
    let examples: [Named<String>]

    /// - Throws: `Failure`, `ResolutionError`.
    init(
        _ entry: ProviderRegistry.Entry,
        inputs given: [String: String],
        environment: String? = nil,
        redirectURI: String?
    ) throws {
        self.entry = entry
        let descriptor = try entry.descriptor.variant(environment)
        let inputs = descriptor.exampleInputs(given)
        provider = try descriptor.resolve(inputs: inputs)
        examples = descriptor.inputs.names.compactMap { name in
            given[name] == nil ? inputs[name].map { Named(name, $0) } : nil
        }
        client = PretendClient(
            for: provider,
            redirectURI: try redirectURI ?? Self.redirectURI(for: descriptor),
            inputs: inputs,
            prefersSecret: true
        )
    }

    /// A redirect URI that the provider accepts: on loopback if that is one, else made up after the first form.
    private static func redirectURI(for descriptor: ProviderDescriptor) throws -> String {
        if let loopback = Registrations.defaultRedirectURI(for: descriptor) {
            return loopback.split(separator: "/callback")[0] + ":49152/callback"
        }
        for form in descriptor.redirects {
            var uri = form.template.source
            for name in form.template.inputNames {
                let value = Self.pretendParts[name] ?? "example"
                uri = uri.split(separator: "{\(name)}", omittingEmptySubsequences: false).joined(separator: value)
            }
            if form.matches(uri) { return uri }
        }
        throw Failure(
            .usage,
            "no redirect URI fits the forms that \(descriptor.id) accepts",
            details: [Failure.Detail(name: "descriptor_key", text: "redirects")],
            next: ["give --redirect-uri"]
        )
    }

    private static let pretendParts = [
        "bundle_id": "com.example.app", "scheme": "com.example.app", "host": "client.example",
        "domain": "client.example",
        "port": "49152", "path": "callback",
    ]
}
