import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// A token without an account: the client's own (RFC 6749, section 4.4), or one for an assertion (RFC 7523).
struct ClientTokenOptions: ParsableArguments {
    @Flag(help: "Request a token for the client itself, without an account.") var clientCredentials = false

    @Flag(
        name: .customLong("jwt-bearer"),
        help: "Request a token with an assertion that the client's key signs (RFC 7523).")
    var jwtBearer = false

    @Option(value: "name", "The subject of the assertion of --jwt-bearer.") var subject: String?

    @Option(
        "assertion-env", value: "name", "The environment variable with another party's assertion, for --jwt-bearer.")
    var assertionVariable: String?

    @Option("scope", value: "scope", "A scope to request without an account. Repeatable.") var scopes: [String] = []

    @Option("resource", value: "uri", "The resource server that the token is for (RFC 8707). Repeatable.")
    var resources: [String] = []

    /// Whether a token without an account is asked for.
    var isWanted: Bool { clientCredentials || jwtBearer }

    func validate() throws {
        try refuse(if: clientCredentials && jwtBearer, "--client-credentials and --jwt-bearer cannot be combined")
        try refuse(
            if: !isWanted && !(scopes.isEmpty && resources.isEmpty),
            "--scope and --resource need --client-credentials or --jwt-bearer")
        try refuse(
            if: !jwtBearer && (subject != nil || assertionVariable != nil),
            "--subject and --assertion-env need --jwt-bearer")
        try refuse(
            if: subject != nil && assertionVariable != nil,
            "--subject cannot be combined with --assertion-env: the assertion names its subject")
    }

    /// The rules for a command that can also use an account.
    func validate(beside account: AccountOptions) throws {
        try validate()
        try refuse(
            if: assertionVariable != nil && account.network.sandbox != nil,
            "--assertion-env cannot be combined with --sandbox: a real assertion is never sent to a sandbox")
        try refuse(
            if: isWanted && account.account != nil,
            "--client-credentials and --jwt-bearer request a token without an account; remove --account")
    }

    /// Runs `body` with the client and the grant of its token.
    func withClient(
        of account: AccountOptions, _ context: CommandContext,
        _ body: (OAuthClient, ClientGrant, ProviderRegistry.Entry) async throws -> Void
    ) async throws {
        let sources = try ProviderSources(account.providers, context)
        let entry = try sources.entry(nameOrResource: account.provider)
        let connector = try Connector(account.network, account.client, sources, context)
        try await ProviderFailure(entry: entry, givenOptions: connector.givenOptions).explaining {
            let registration = try await connector.registration(for: entry, prefersSecret: true)
            let client = try connector.client(for: entry, registration: registration)
            try await body(client, try grant(entry.descriptor.wantedScopes(scopes), context.environment), entry)
        }
    }

    /// Requests the token, and prints it as the options say.
    func print(_ part: TokenCommand.Part?, _ account: AccountOptions, _ context: CommandContext) async throws {
        try await withClient(of: account, context) { client, grant, entry in
            let tokens = try await context.console.showing("requesting a token") { try await client.tokens(for: grant) }
            let (clientID, console) = (client.registration.clientID, context.console)
            if let part { return try part.print(tokens, ownedBy: "the client \(clientID)", console) }
            let rows = [["client id", clientID.printable]] + tokens.rows(now: SystemWallClock().now)
            for line in Table.lines(rows) { console.print(line) }
            console.print(
                json: ["client_id": .string(clientID), "descriptor_files": .list(entry.files)] + tokens.summary)
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
}

/// An account's access token, exchanged for another (RFC 8693).
struct TokenExchangeOptions: ParsableArguments {
    @Flag(name: .customLong("exchange"), help: "Exchange the access token for another (RFC 8693).") var isWanted = false

    @Option("audience", value: "name", "The audience of the exchanged token. Repeatable.") var audience: [String] = []

    func validate() throws {
        if !isWanted, !audience.isEmpty { throw ValidationError("--audience needs --exchange") }
    }

    func print(_ part: TokenCommand.Part?, _ account: Account, _ console: Console) async throws {
        let (tokens, _) = try await account.explaining {
            try await account.session().exchange { [audience] token in
                TokenExchange(TokenExchange.TypedToken(token), audience: audience)
            }
        }
        if let part { return try part.print(tokens, ownedBy: account.name, console) }
        for line in Table.lines(tokens.rows(now: SystemWallClock().now)) { console.print(line) }
        console.print(json: account.json + tokens.summary)
    }
}
