import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetProtocol

/// A token of the client's own (RFC 6749, section 4.4), instead of an account's.
struct ClientTokenOptions: ParsableArguments {
    @Flag(help: "Ask for a token of the client's own: no account, no sign-in.")
    var clientCredentials = false

    @Option(
        name: .customLong("scope"),
        help: ArgumentHelp("A scope to ask for with --client-credentials. Repeatable.", valueName: "scope")
    )
    var scopes: [String] = []

    @Option(
        name: .customLong("resource"),
        help: ArgumentHelp("The resource server that the token is for (RFC 8707). Repeatable.", valueName: "uri")
    )
    var resources: [String] = []

    func validate() throws {
        if !clientCredentials, !scopes.isEmpty || !resources.isEmpty {
            throw ValidationError("--scope and --resource go with --client-credentials")
        }
    }

    /// Asks for the token, and answers as the command was told to.
    func answer(_ part: TokenCommand.Part?, _ account: AccountOptions, _ context: CommandContext) async throws {
        let sources = try ProviderSources(account.providers, environment: context.environment)
        let entry = try sources.entry(account.provider)
        let deadline = account.network.timeout.map { Duration.seconds($0) } ?? TransportLimits().deadline
        let connector = try Connector(account.network, account.client, context, deadline: deadline)
        try await ProviderFailure(entry: entry).explaining {
            let registration = try connector.registration(for: entry, prefersSecret: true)
            let client = try connector.client(for: entry, registration: registration)
            let wanted = scopes.flatMap { $0.split(separator: " ").map(String.init) }
            let tokens = try await context.console.showing("asking for a token") {
                try await client.clientCredentials(scopes: wanted, resource: resources)
            }
            let owner = "the client \(registration.clientID)"
            switch part {
            case nil: show(tokens, of: registration, context.console)
            case .raw: TokenCommand.printToken(tokens, context.console)
            case .header:
                try TokenCommand.printSegment(0, named: "header", of: tokens, ownedBy: owner, context.console)
            case .payload:
                try TokenCommand.printSegment(1, named: "payload", of: tokens, ownedBy: owner, context.console)
            }
        }
    }

    private func show(_ tokens: TokenSet, of registration: ClientRegistration, _ console: Console) {
        let rows = [["client id", registration.clientID.printable]] + tokens.rows(now: SystemWallClock().now)
        for line in Table.lines(rows) { console.answer(line) }
        console.answer(json: JSONObject(["client_id": .string(registration.clientID)]) + tokens.summary)
    }
}
