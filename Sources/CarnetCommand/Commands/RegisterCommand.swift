import ArgumentParser
import Carnet
import CarnetDemo
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol
import CarnetSandbox

struct RegisterCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Register a client with a provider that supports dynamic client registration (RFC 7591).",
        discussion: """
            The command writes the registration to a clients file that only its owner can read. If the file already has \
            a client of the provider, the command updates it, in the file and at the provider. The provider deletes \
            values that the command omits. --read prints the registration, and --delete removes it (RFC 7592).

            Examples:
              carnet register acme --output clients.yaml --name 'My tool'
              carnet register acme --output clients.yaml --confidential --token-env ACME_TOKEN
              carnet register acme --output clients.yaml --delete
            """)

    @Argument(value: "id", "The provider's id; see carnet providers.", completion: .providerIDs) var provider: String

    @Option(value: "text", "The client's name, which users see.") var name: String?

    @Flag(help: "Register a confidential client, with a secret.") var confidential = false

    @Option("token-env", value: "name", "The environment variable with the initial access token.")
    var tokenVariable: String?

    @Option(
        name: .customLong("output"), help: ArgumentHelp("The clients file to create or change.", valueName: "file"),
        completion: .yamlFile)
    var file: String

    @Option(
        "key-file", value: "file",
        "The client's private signing key: PEM or JWK. Only its public part is registered.", completion: .file())
    var keyFile: String?

    @Flag(help: "Print the registration at the provider, and change nothing.") var read = false

    @Flag(help: "Delete the registration at the provider and in the file.") var delete = false

    @OptionGroup(title: "Metadata options") var metadata: RegistrationOptions
    @OptionGroup(title: "Provider options") var providers: ProviderOptions
    @OptionGroup(title: "Client options") var client: ClientOptions
    @OptionGroup(title: "Connection options") var network: NetworkOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        if read, delete { throw ValidationError("--read and --delete cannot be combined") }
    }

    func run(_ context: CommandContext) async throws {
        let sources = try ProviderSources(providers, context)
        let entry = try sources.entry(provider)
        let connector = try Connector(network, client, sources, context)
        let known = try knownClient(entry.descriptor.id, context)
        let editor = try ClientsFileEditor(file)
        guard known != nil || !(read || delete) else {
            throw Failure(
                .usage, "\(file) has no registration for \(provider)",
                next: ["remove --read or --delete to register a client"])
        }
        // The provider's response must not be lost.
        if !delete { try editor.check(provider) }
        try await ProviderFailure(entry: entry).explaining {
            let descriptor = try entry.descriptor.variant(client.input.environment ?? known?.source.environment)
            let given = try client.input.values(for: descriptor, context.environment, context.console)
            var inputs = (known?.source.inputs ?? [:]).merging(given) { $1 }
            var initialToken = try tokenVariable.map {
                Secret(try context.environment.variables.value(ofVariable: $0, at: "--token-env"))
            }
            if connector.sandbox != nil {
                try requireSandboxed(known?.client)
                (inputs, initialToken) = (descriptor.exampleInputs(inputs, clientID: SimulatedClient.clientID), nil)
            } else if !descriptor.isFromNamedPlace {
                if initialToken != nil { throw Registrations.untrusted(descriptor, with: "the initial access token") }
                try client.input.check(inputs, for: descriptor)
            }
            let resolved = try descriptor.resolve(inputs: inputs, clientID: known?.client.clientID)
            let registrar = connector.registrar(at: resolved, of: entry)
            if let known, delete {
                let remaining = try editor.removing(provider)
                try await context.console.showing("deleting the registration") {
                    try await registrar.delete(known.client)
                }
                try ClientsFileEditor.write(remaining, to: file)
                return say("deleted", known.client, context.console)
            }
            if let known, read {
                let current = try await context.console.showing("reading the registration") {
                    try await registrar.read(known.client)
                }
                try save(current, current.redirectURIs.first ?? known.client.redirectURIs.first, editor)
                return say("registered", current, context.console)
            }
            let accepted = ClientRegistration.loopbackURI(for: descriptor)
            guard let redirectURI = client.redirectURI ?? known?.client.redirectURIs.first ?? accepted else {
                throw Failure(
                    .usage, "\(descriptor.name) accepts no redirect URI on loopback", next: ["add --redirect-uri URI"])
            }
            let variables = context.environment.variables
            let keys = try keyFile.map { try KeyPlace.file($0).keys(id: nil, variables) } ?? known?.keys ?? []
            let token = initialToken
            let failures = ProviderFailure(entry: entry, redirectURI: redirectURI)
            let registered = try await context.console.showing("registering") {
                try await failures.explaining {
                    let provider = try await registrar.discovered(resolved)
                    let wanted = ClientMetadata(
                        redirectURIs: [redirectURI], clientName: name,
                        authenticationMethod: try method(
                            of: provider, known?.client, signs: keys.contains(where: \.canSign)),
                        dpopBoundAccessTokens: resolved.client.dpopBoundAccessTokens, keys: keys,
                        contacts: metadata.contacts, uris: metadata.uris, algorithms: metadata.algorithms,
                        softwareID: metadata.program.softwareID, softwareVersion: metadata.program.softwareVersion)
                    if let known { return try await registrar.update(known.client, to: wanted, at: provider) }
                    return try await registrar.register(wanted, at: provider, initialAccessToken: token)
                }
            }
            try save(registered, redirectURI, editor)
            say(known == nil ? "registered" : "updated", registered, context.console)
        }
    }

    private func knownClient(
        _ id: ProviderID, _ context: CommandContext
    ) throws -> (client: RegisteredClient, keys: [ClientKey], source: ClientSource)? {
        guard !Path.isAbsent(file) else { return nil }
        let clients = ClientsFile(try SourceFile(readingFrom: file))
        guard clients.diagnostics.isEmpty else { throw Failure(clientsFile: clients, context.console) }
        return try clients.registeredClient(for: id, environment: context.environment.variables)
    }

    /// - Throws: `Failure` for a registration at a real server: its token is never sent to a sandbox.
    private func requireSandboxed(_ known: RegisteredClient?) throws {
        guard let token = known?.managementToken, !token.reveal().hasPrefix(Sandbox.secretMark) else { return }
        throw Failure(
            .usage, "the registration in \(file) was not made at a sandbox, so its token is not sent to one",
            next: ["remove --sandbox, or choose another file with --output"])
    }

    /// The first method of the provider that goes with what the client has or is to get.
    private func method(
        of provider: DiscoveredProvider, _ known: RegisteredClient?, signs: Bool
    ) throws -> ClientAuthenticationMethod {
        let accepted = provider.client.authentication
        if confidential || known?.clientSecret != nil {
            if let method = accepted.first(where: \.usesSecret) { return method }
            throw takesNone("confidential clients", provider, next: "remove --confidential")
        }
        if signs, let method = accepted.first(where: \.usesKey) { return method }
        guard accepted.contains(.none) else {
            throw takesNone("public clients", provider, next: "add --confidential or --key-file FILE")
        }
        return .none
    }

    private func takesNone(_ clients: String, _ provider: DiscoveredProvider, next: String) -> Failure {
        Failure(
            .usage, "\(provider.name) accepts no \(clients)",
            details: [Failure.Detail(name: "descriptor_key", text: "client.authentication")], next: [next])
    }

    private func save(_ registered: RegisteredClient, _ redirectURI: String?, _ editor: ClientsFileEditor) throws {
        // Paths in a clients file are relative to that, not to where the command runs.
        let absolute = keyFile.map { URL(filePath: $0).standardizedFileURL.path(percentEncoded: false) }
        let bytes = try editor.setting(
            registered, redirectURI: redirectURI, postLogoutRedirectURI: metadata.postLogoutRedirect,
            keyFile: absolute, of: provider, with: client.input)
        try ClientsFileEditor.write(bytes, to: file)
    }

    private func say(_ done: String, _ registered: RegisteredClient, _ console: Console) {
        console.print("\(done) \(registered.clientID.printable)")
        console.print(json: [
            "provider": .string(provider), "client_id": .string(registered.clientID), "file": .string(file),
            "done": .string(done), "has_secret": .bool(registered.clientSecret != nil),
            "authentication_method": .string(registered.authenticationMethod.rawValue),
            "secret_expires_at": .optional(registered.secretExpiresAt),
            "redirect_uris": .list(registered.redirectURIs), "origins": .list(registered.origins ?? []),
        ])
        if !delete, let end = registered.secretExpiresAt, end > SystemWallClock().now {
            console.warn("the client secret expires at \(end.formatted(.iso8601))")
        }
        let place = network.sandbox.map { " --sandbox \($0.shellWord)" } ?? ""
        if !delete { console.note("next: carnet login \(provider) --clients \(file.shellWord)\(place)".printable) }
    }
}
