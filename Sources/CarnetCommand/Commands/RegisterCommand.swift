import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetProtocol
import Foundation

struct RegisterCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Register a client with a provider that lets clients register themselves.",
        discussion: """
            The answer is kept as an entry of a clients file that nobody else can read (RFC 7591). A client that is in the \
            file already is updated there and at the provider, with --read looked up, and with --delete taken back \
            (RFC 7592).
            """
    )

    @Argument(help: ArgumentHelp("The provider's id; see carnet providers.", valueName: "id"))
    var provider: String

    @Option(help: ArgumentHelp("The name that users see.", valueName: "text"))
    var name: String?

    @Flag(help: "Register a client that has a secret.")
    var confidential = false

    @Option(
        name: .customLong("token-env"),
        help: ArgumentHelp("The environment variable with the initial access token.", valueName: "name")
    )
    var tokenVariable: String?

    @Option(
        name: .customLong("output"), help: ArgumentHelp("The clients file to make or to change.", valueName: "file"))
    var file: String

    @Flag(help: "Say what the provider has registered, and change nothing.")
    var read = false

    @Flag(help: "Take the registration back, and its entry out of the file.")
    var delete = false

    @OptionGroup(title: "Provider options") var providers: ProviderOptions
    @OptionGroup(title: "Client options") var client: ClientOptions
    @OptionGroup(title: "Connection options") var network: NetworkOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        if read, delete { throw ValidationError("--read and --delete exclude each other") }
    }

    func run(_ context: CommandContext) async throws {
        let entry = try ProviderSources(providers, environment: context.environment).entry(provider)
        let connector = try Connector(network, client, context)
        let known = try knownClient(entry.descriptor.id, context)
        let editor = try ClientsFileEditor(file)
        guard known != nil || !(read || delete) else {
            throw Failure(.usage, "\(file) has no registration for \(provider)", next: ["leave --read or --delete out"])
        }
        try await ProviderFailure(entry: entry).explaining {
            let descriptor = try entry.descriptor.variant(client.input.environment)
            let resolved = try descriptor.resolve(inputs: client.input.values)
            let registrar = connector.registrar(at: resolved)
            if let known, delete {
                let remaining = try editor.removing(provider)
                try await context.console.showing("deleting the registration") { try await registrar.delete(known) }
                try ClientsFileEditor.write(remaining, to: file)
                return say("deleted", known, context.console)
            }
            if let known, read {
                let current = try await context.console.showing("reading the registration") {
                    try await registrar.read(known)
                }
                try keep(current, current.redirectURIs.first ?? known.redirectURIs.first, editor)
                return say("registered", current, context.console)
            }
            guard let redirectURI = client.redirectURI ?? Registrations.defaultRedirectURI(for: descriptor) else {
                throw Failure(
                    .usage, "\(descriptor.name) accepts no redirect URI on loopback", next: ["give --redirect-uri"])
            }
            let metadata = ClientMetadata(
                redirectURIs: [redirectURI],
                clientName: name,
                authenticationMethod: try method(of: resolved, hasSecret: confidential || known?.clientSecret != nil),
                dpopBoundAccessTokens: resolved.client.dpopBoundAccessTokens
            )
            let initialToken = try initialToken(context.environment)
            let registered = try await context.console.showing("registering") {
                if let known { return try await registrar.update(known, to: metadata, at: resolved) }
                return try await registrar.register(metadata, at: resolved, initialAccessToken: initialToken)
            }
            try keep(registered, redirectURI, editor)
            say(known == nil ? "registered" : "updated", registered, context.console)
        }
    }

    private func knownClient(_ id: ProviderID, _ context: CommandContext) throws -> RegisteredClient? {
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        let clients = ClientsFile(try SourceFile(readingFrom: file))
        guard clients.diagnostics.isEmpty else { throw Failure(clientsFile: clients, context.console) }
        return try clients.registeredClient(for: id, environment: context.environment)
    }

    private func method(of provider: Provider, hasSecret: Bool) throws -> ClientAuthenticationMethod {
        guard let method = provider.client.authentication.first(where: { $0.usesSecret == hasSecret }) else {
            throw Failure(
                .usage,
                "\(provider.name) takes no \(hasSecret ? "confidential" : "public") clients",
                details: [Failure.Detail(name: "descriptor_key", text: "client.authentication")],
                next: [hasSecret ? "leave --confidential out" : "give --confidential"]
            )
        }
        return method
    }

    private func initialToken(_ environment: HostEnvironment) throws -> Secret? {
        guard let tokenVariable else { return nil }
        guard let text = environment[tokenVariable], !text.isEmpty else {
            throw Failure(.usage, "--token-env \(tokenVariable): the variable is not set")
        }
        return Secret(text)
    }

    private func keep(_ registered: RegisteredClient, _ redirectURI: String?, _ editor: ClientsFileEditor) throws {
        let bytes = try editor.setting(registered, redirectURI: redirectURI, of: provider)
        try ClientsFileEditor.write(bytes, to: file)
    }

    private func say(_ done: String, _ registered: RegisteredClient, _ console: Console) {
        console.answer("\(done) \(registered.clientID.printable)")
        console.answer(
            json: JSONObject([
                "provider": .string(provider), "client_id": .string(registered.clientID), "file": .string(file),
                "done": .string(done), "has_secret": .bool(registered.clientSecret != nil),
                "secret_expires_at": .optional(registered.secretExpiresAt),
                "redirect_uris": .list(registered.redirectURIs),
            ])
        )
        if !delete { console.note("next: carnet login \(provider) --clients \(file.printable)") }
    }
}
