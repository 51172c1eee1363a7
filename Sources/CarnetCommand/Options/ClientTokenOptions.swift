import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// A token without an account: the client's own (RFC 6749, section 4.4), or one for an assertion (RFC 7523).
struct ClientTokenOptions: ParsableArguments {
    @Flag(help: "Request a token for the client itself, without an account.")
    var clientCredentials = false

    @Flag(
        name: .customLong("jwt-bearer"),
        help: "Request a token with an assertion that the client's key signs (RFC 7523).")
    var jwtBearer = false

    @Option(help: ArgumentHelp("The subject of the assertion of --jwt-bearer.", valueName: "name"))
    var subject: String?

    @Option(
        name: .customLong("assertion-env"),
        help: ArgumentHelp(
            "The environment variable with another party's assertion, for --jwt-bearer.", valueName: "name")
    )
    var assertionVariable: String?

    @Option(
        name: .customLong("scope"),
        help: ArgumentHelp("A scope to request without an account. Repeatable.", valueName: "scope")
    )
    var scopes: [String] = []

    @Option(
        name: .customLong("resource"),
        help: ArgumentHelp("The resource server that the token is for (RFC 8707). Repeatable.", valueName: "uri")
    )
    var resources: [String] = []

    /// Whether a token without an account is asked for.
    var isWanted: Bool { clientCredentials || jwtBearer }

    func validate() throws {
        if clientCredentials, jwtBearer {
            throw ValidationError("--client-credentials and --jwt-bearer cannot be combined")
        }
        if !isWanted, !scopes.isEmpty || !resources.isEmpty {
            throw ValidationError("--scope and --resource need --client-credentials or --jwt-bearer")
        }
        if !jwtBearer, subject != nil || assertionVariable != nil {
            throw ValidationError("--subject and --assertion-env need --jwt-bearer")
        }
        if subject != nil, assertionVariable != nil {
            throw ValidationError("--subject cannot be combined with --assertion-env: the assertion names its subject")
        }
    }

    /// The rules for a command that can also use an account.
    func validate(beside account: AccountOptions) throws {
        try validate()
        if assertionVariable != nil, account.network.sandbox != nil {
            throw ValidationError(
                "--assertion-env cannot be combined with --sandbox: a real assertion is never sent to a sandbox")
        }
        if isWanted, account.account != nil {
            throw ValidationError(
                "--client-credentials and --jwt-bearer request a token without an account; remove --account")
        }
    }

    /// Runs `body` with the client and the grant of its token.
    func withClient(
        of account: AccountOptions, _ context: CommandContext,
        _ body: (OAuthClient, ClientGrant, ProviderRegistry.Entry) async throws -> Void
    ) async throws {
        let sources = try ProviderSources(account.providers, context)
        let entry = try sources.entry(nameOrResource: account.provider)
        let deadline = account.network.timeout.map { Duration.seconds($0) } ?? TransportLimits().deadline
        let connector = try Connector(account.network, account.client, sources, context, deadline: deadline)
        try await ProviderFailure(entry: entry, sandboxOption: connector.sandboxOption).explaining {
            let registration = try await connector.registration(for: entry, prefersSecret: true)
            let client = try connector.client(for: entry, registration: registration)
            let wanted = try entry.descriptor.wantedScopes(scopes)
            try await body(client, try grant(wanted, context.environment), entry)
        }
    }

    /// Requests the token, and prints it as the options say.
    func print(_ part: TokenCommand.Part?, _ account: AccountOptions, _ context: CommandContext) async throws {
        try await withClient(of: account, context) { client, grant, entry in
            let tokens = try await context.console.showing("requesting a token") { try await client.tokens(for: grant) }
            let owner = "the client \(client.registration.clientID)"
            switch part {
            case nil: show(tokens, of: client.registration, entry, context.console)
            case .raw: TokenCommand.printToken(tokens, context.console)
            case .header:
                try TokenCommand.printSegment(0, named: "header", of: tokens, ownedBy: owner, context.console)
            case .payload:
                try TokenCommand.printSegment(1, named: "payload", of: tokens, ownedBy: owner, context.console)
            }
        }
    }

    func grant(_ wanted: [String], _ environment: HostEnvironment) throws -> ClientGrant {
        guard jwtBearer else { return .clientCredentials(scopes: wanted, resource: resources) }
        guard let assertionVariable else {
            return .assertion(subject: subject, scopes: wanted, resource: resources)
        }
        let text = try environment.variables.value(ofVariable: assertionVariable, at: "--assertion-env")
        return .assertion(Secret(text), scopes: wanted, resource: resources)
    }

    private func show(
        _ tokens: TokenSet, of registration: ClientRegistration, _ entry: ProviderRegistry.Entry, _ console: Console
    ) {
        let rows = [["client id", registration.clientID.printable]] + tokens.rows(now: SystemWallClock().now)
        for line in Table.lines(rows) { console.print(line) }
        console.print(
            json: JSONObject([
                "client_id": .string(registration.clientID), "descriptor_files": .list(entry.files),
            ]) + tokens.summary)
    }
}
