import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

struct TokenCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print the state of an account's tokens, or the access token.",
        discussion: """
            Only --raw prints the access token. If it has expired, the command refreshes it first.

            Examples:
              carnet token acme
              carnet token acme --payload
              printf 'Authorization: Bearer %s' "$(carnet token acme --raw)" | curl -H @- https://api.acme.example/me
              carnet token acme --client-credentials --scope reports
            """
    )

    enum Part: String, EnumerableFlag {
        case header
        case payload
        case raw

        static func help(for value: Self) -> ArgumentHelp? {
            switch value {
            case .header: "Print the header of an access token that is a JWT."
            case .payload: "Print the claims of an access token that is a JWT."
            case .raw: "Print the access token only."
            }
        }
    }

    @OptionGroup var account: AccountOptions
    @Flag(exclusivity: .exclusive) var part: Part?
    @OptionGroup(title: "Options without an account") var ownToken: ClientTokenOptions
    @Flag(help: "Request the state of the access token from the provider (RFC 7662).") var introspect = false
    @OptionGroup(title: "Token exchange options") var tokenExchange: TokenExchangeOptions
    @OptionGroup(title: "Output options") var givenOutput: OutputOptions

    /// A job that runs again and again gets the token and errors alone.
    var output: OutputOptions {
        var output = givenOutput
        output.quiet = output.quiet || part == .raw
        return output
    }

    func validate() throws {
        if introspect, part != nil || ownToken.isWanted || tokenExchange.isWanted {
            throw ValidationError("--introspect cannot be combined with the other output options")
        }
        try ownToken.validate(beside: account)
    }

    func run(_ context: CommandContext) async throws {
        if ownToken.isWanted { return try await ownToken.print(part, account, context) }
        let account = try await Account(account, context)
        if introspect { return try await IntrospectionReport.show(account, context.console) }
        if tokenExchange.isWanted { return try await tokenExchange.print(part, account, context.console) }
        switch part {
        case nil: show(account, context.console)
        case .raw: try await printToken(of: account, context.console)
        case .header: try printSegment(0, named: "header", of: account, context.console)
        case .payload: try printSegment(1, named: "payload", of: account, context.console)
        }
    }

    private func show(_ account: Account, _ console: Console) {
        let tokens = account.stored.tokens
        var rows = [["account", account.name.printable], ["client id", account.stored.clientID.printable]]
        if let subject = account.stored.subject { rows.append(["subject", subject.printable]) }
        rows += tokens.rows(now: SystemWallClock().now)
        let values = (account.stored.values ?? [:]).sorted { $0.key < $1.key }
        rows += values.map { [$0.key.printable, $0.value.description.printable] }
        for line in Table.lines(rows) { console.print(line) }
        if let oddity = tokens.oddLifetime(at: account.client.provider) { console.warn(oddity) }
        console.print(
            json: account.json
                + JSONObject([
                    "client_id": .string(account.stored.clientID), "subject": .optional(account.stored.subject),
                ])
                + tokens.summary
                + JSONObject([
                    "values": .object(
                        values.reduce(into: JSONObject()) { $0[$1.key] = .string($1.value.description) })
                ])
        )
    }

    private func printToken(of account: Account, _ console: Console) async throws {
        var tokens = account.stored.tokens
        if tokens.isExpiring(within: 0, at: SystemWallClock().now) {
            let session = try await account.session()
            tokens = try await account.explaining { try await session.tokens() }
        }
        Self.printToken(tokens, console)
    }

    static func printToken(_ tokens: TokenSet, _ console: Console) {
        console.print(tokens.accessToken.reveal())
        console.print(
            json: JSONObject([
                "access_token": .string(tokens.accessToken.reveal()), "token_type": .string(tokens.tokenType),
                "expires_at": .optional(tokens.expiresAt),
            ])
        )
    }

    private func printSegment(_ index: Int, named name: String, of account: Account, _ console: Console) throws {
        try Self.printSegment(
            index,
            named: name,
            of: account.stored.tokens,
            ownedBy: account.name,
            next: ["carnet profile \(account.entry.descriptor.id) prints the user's profile"],
            console
        )
    }

    static func printSegment(
        _ index: Int, named name: String, of tokens: TokenSet, ownedBy owner: String, next: [String] = [],
        _ console: Console
    ) throws {
        guard let segment = JWTSegments(tokens.accessToken)?.json(index) else {
            throw Failure(
                .failed,
                "the access token of \(owner) is opaque: it is not a JWT, and only the provider can read it",
                next: next
            )
        }
        for line in segment.jsonText(.indented).printableLines { console.print(line) }
        console.print(json: JSONObject([name: segment, "verified": false]))
        console.note("not verified: only the resource server validates an access token")
    }
}
