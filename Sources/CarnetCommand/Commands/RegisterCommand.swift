import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetProtocol
import Foundation

struct RegisterCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Register a client with a provider that lets clients register themselves.",
        discussion: "The answer is kept as an entry of a clients file that nobody else can read (RFC 7591)."
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

    @Option(name: .customLong("output"), help: ArgumentHelp("The clients file to make.", valueName: "file"))
    var file: String

    @OptionGroup(title: "Provider options") var providers: ProviderOptions
    @OptionGroup(title: "Client options") var client: ClientOptions
    @OptionGroup(title: "Connection options") var network: NetworkOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(_ context: CommandContext) async throws {
        let entry = try ProviderSources(providers, environment: context.environment).entry(provider)
        let connector = try Connector(network, client, context)
        guard !FileManager.default.fileExists(atPath: file) else {
            throw Failure(.usage, "\(file) is there already", next: ["choose another file, and give it with --clients"])
        }
        try await ProviderFailure(entry: entry).explaining {
            let descriptor = try entry.descriptor.variant(client.input.environment)
            let resolved = try descriptor.resolve(inputs: client.input.values)
            guard let redirectURI = client.redirectURI ?? Registrations.defaultRedirectURI(for: descriptor) else {
                throw Failure(
                    .usage, "\(descriptor.name) accepts no redirect URI on loopback", next: ["give --redirect-uri"])
            }
            let registered = try await context.console.showing("registering") {
                try await connector.registrar(at: resolved).register(
                    ClientMetadata(
                        redirectURIs: [redirectURI],
                        clientName: name,
                        authenticationMethod: try method(of: resolved),
                        dpopBoundAccessTokens: resolved.client.dpopBoundAccessTokens
                    ),
                    at: resolved,
                    initialAccessToken: try initialToken(context.environment)
                )
            }
            try keep(registered, redirectURI)
            say(registered, context.console)
        }
    }

    private func method(of provider: Provider) throws -> ClientAuthenticationMethod {
        guard let method = provider.client.authentication.first(where: { $0.usesSecret == confidential }) else {
            throw Failure(
                .usage,
                "\(provider.name) takes no \(confidential ? "confidential" : "public") clients",
                details: [Failure.Detail(name: "descriptor_key", text: "client.authentication")],
                next: [confidential ? "leave --confidential out" : "give --confidential"]
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

    /// Writes the entry; from its first byte on the file is its owner's alone.
    private func keep(_ registered: RegisteredClient, _ redirectURI: String) throws {
        var lines = [
            "# Registered by carnet register. It holds secrets.", "\(provider):",
            "  client_id: \(Self.quoted(registered.clientID))",
        ]
        if let secret = registered.clientSecret { lines.append("  client_secret: \(Self.quoted(secret.reveal()))") }
        lines.append("  redirect_uri: \(Self.quoted(redirectURI))")
        if let uri = registered.managementURI, let token = registered.managementToken {
            lines.append("  # To manage it (RFC 7592): \(uri.text) with the token \(Self.quoted(token.reveal()))")
        }
        let text = lines.map { $0 + "\n" }.joined()
        let isMade = FileManager.default.createFile(
            atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        guard isMade else { throw Failure(.broken, "\(file) cannot be written") }
    }

    /// A text as JSON writes it, which YAML reads too.
    private static func quoted(_ text: String) -> String { JSONValue.string(text).jsonText() }

    private func say(_ registered: RegisteredClient, _ console: Console) {
        console.answer("registered \(registered.clientID.printable)")
        console.answer(
            json: JSONObject([
                "provider": .string(provider), "client_id": .string(registered.clientID), "file": .string(file),
                "has_secret": .bool(registered.clientSecret != nil),
                "secret_expires_at": .optional(registered.secretExpiresAt),
            ])
        )
        console.note("next: carnet login \(provider) --clients \(file.printable)")
    }
}
