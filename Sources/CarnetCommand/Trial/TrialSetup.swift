import CarnetDemo
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSimulation

/// A descriptor with everything that a test client needs for a sign-in.
struct TrialSetup {
    let entry: ProviderRegistry.Entry
    let provider: Provider
    let client: SimulatedClient
    /// Inputs that nobody gave, with what stands for each.
    let examples: [Named<String>]
    /// The keys whose values `carnet new` has guessed and nobody has changed, in the order of the file.
    var guesses: [String] { Self.guesses(in: entry.document.file) }

    /// - Throws: `Failure`, `ResolutionError`.
    init(
        _ entry: ProviderRegistry.Entry,
        inputs given: [String: String],
        environment: String? = nil,
        redirectURI: String?
    ) throws {
        self.entry = entry
        let descriptor = try entry.descriptor.variant(environment)
        let inputs = try SimulatedInputs(for: descriptor, given: given)
        provider = try descriptor.resolve(inputs: inputs.values)
        examples = inputs.madeUp
        client = SimulatedClient(
            for: provider,
            redirectURI: try redirectURI ?? Self.redirectURI(for: descriptor),
            inputs: inputs.values,
            prefersSecret: true
        )
    }

    static func guesses(in file: SourceFile) -> [String] {
        guard !file.isEmbedded else { return [] }
        return String(decoding: file.bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
            guard line.contains(" # guessed"), !line.contains(" # guessed from the id") else { return nil }
            return String(line.drop { $0 == " " }.prefix { $0 != ":" })
        }
    }

    private static func redirectURI(for descriptor: ProviderDescriptor) throws -> String {
        if let uri = SimulatedRedirectURI.fitting(descriptor.redirects) { return uri }
        throw Failure(
            .usage,
            "no default redirect URI has a form that \(descriptor.id) accepts",
            details: [Failure.Detail(name: "descriptor_key", text: "redirects")],
            next: ["add --redirect-uri URI"]
        )
    }
}
