import CarnetDemo
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
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
        _ entry: ProviderRegistry.Entry, inputs given: [String: String], environment: String? = nil,
        redirectURI: String?
    ) throws {
        self.entry = entry
        let descriptor = try entry.descriptor.variant(environment)
        let inputs = try SimulatedInputs(for: descriptor, given: given, clientID: SimulatedClient.clientID)
        provider = try descriptor.resolve(inputs: inputs.values)
        examples = inputs.madeUp
        client = SimulatedClient(
            for: provider, redirectURI: try redirectURI ?? Self.redirectURI(for: descriptor), inputs: inputs.values,
            prefersSecret: true)
    }

    static func guesses(in file: SourceFile) -> [String] {
        guard !file.isEmbedded else { return [] }
        return String(decoding: file.bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
            guard line.contains(" # guessed"), !line.contains(" # guessed from the id") else { return nil }
            return String(line.drop { $0 == " " }.prefix { $0 != ":" })
        }
    }

    /// What the sandbox simulates although neither the descriptor nor a standard that it follows says it.
    func assumptions(of result: TrialResult) -> [String] {
        let samples = provider.samples
        let isOpenID = provider.issuer != nil || provider.discoveryURL != nil || provider.resource != nil
        var all: [String] = []
        if provider.needsMetadata {
            all.append("the metadata: it has more endpoints than the provider's may have; see carnet compare")
        }
        let profileSample = provider.profile.source == .tokenResponse ? samples.token : samples.userinfo
        let template = provider.profile.subjectTemplate
        let isDerived = template.map { !$0.references.contains { $0.origin == .claim } } ?? false
        let showsSubject =
            profileSample != nil || isDerived && samples.token != nil
            || isOpenID && provider.profile.ownClaims["subject"] == nil
        if provider.canHaveProfile, !showsSubject, provider.profile.subject == nil {
            all.append("the profile: no sample shows where the provider has the subject")
        }
        if samples.token == nil { all.append("the token response: the descriptor has no samples.token") }
        if result.hasRefreshed, samples.refresh == nil, provider.refresh.rotation == .unknown {
            all.append("the rotation of refresh tokens: there is neither refresh.rotation nor samples.refresh")
        }
        let hasResources = !provider.resources.isEmpty || !provider.lateResources.isEmpty
        if entry.descriptor.api.errors == nil, provider.canHaveProfile || hasResources {
            all.append("the status of an expired access token: 401, because api.errors says nothing")
        }
        return all
    }

    /// - Throws: `Failure` for a file with which lint finds an error.
    static func check(_ entry: ProviderRegistry.Entry, among registry: ProviderRegistry) throws {
        let file = entry.document.file
        guard !file.isEmbedded, !file.bytes.isEmpty else { return }
        // A parent may be beside the file.
        let parents = entry.document.sources.files.filter { $0 != file && !$0.isEmbedded }
        let known = registry.adding(parents.reversed())
        let errors = Linter(known: known, simulator: SampleSimulator()).diagnostics(in: [file])
            .filter { $0.severity == .error }
        guard let first = errors.first else { return }
        let start = first.span.start
        throw Failure(
            .failed,
            "\(file.path):\(start.line):\(start.column): \(first.message) [\(first.code)]"
                + (errors.count > 1 ? ", and \(errors.count - 1) more errors" : ""),
            next: [first.help, "carnet lint shows each error; try needs a file without one"].compactMap { $0 })
    }

    private static func redirectURI(for descriptor: ProviderDescriptor) throws -> String {
        if let uri = SimulatedRedirectURI.fitting(descriptor.redirects) { return uri }
        throw Failure(
            .usage, "no default redirect URI has a form that \(descriptor.id) accepts",
            details: [Failure.Detail(name: "descriptor_key", text: "redirects")], next: ["add --redirect-uri URI"])
    }
}
