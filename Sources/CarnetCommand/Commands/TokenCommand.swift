import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

struct TokenCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Print the state of an account's tokens, or the access token.",
        discussion: """
            Only --raw prints the access token. If it has expired, the command refreshes it first.

            Examples:
              carnet token acme
              carnet token acme --payload
              printf 'Authorization: Bearer %s' "$(carnet token acme --raw)" | curl -H @- https://api.acme.example/me
              carnet token acme --client-credentials --scope reports
            """)

    enum Part: String, EnumerableFlag {
        case header, payload, raw

        static func help(for value: Self) -> ArgumentHelp? {
            switch value {
            case .header: "Print the header of an access token that is a JWT."
            case .payload: "Print the claims of an access token that is a JWT."
            case .raw: "Print the access token only."
            }
        }

        func print(
            _ tokens: TokenSet, ownedBy owner: String, next: [String] = [], _ console: Console
        ) throws {
            guard self != .raw else {
                console.print(tokens.accessToken.reveal())
                return console.print(json: [
                    "access_token": .string(tokens.accessToken.reveal()), "token_type": .string(tokens.tokenType),
                    "expires_at": .optional(tokens.expiresAt),
                ])
            }
            guard let segment = JWTSegments(tokens.accessToken)?.json(self == .header ? 0 : 1) else {
                throw Failure(
                    .failed,
                    "the access token of \(owner) is opaque: it is not a JWT, and only the provider can read it",
                    next: next)
            }
            for line in segment.jsonText(.indented).printableLines { console.print(line) }
            console.print(json: [rawValue: segment, "verified": false])
            console.note("not verified: only the resource server validates an access token")
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
        try refuse(
            if: introspect && (part != nil || ownToken.isWanted || tokenExchange.isWanted),
            "--introspect cannot be combined with the other output options")
        try ownToken.validate(beside: account)
        guard tokenExchange.isWanted else { return }
        try refuse(
            [("--client-credentials", ownToken.clientCredentials), ("--jwt-bearer", ownToken.jwtBearer)],
            beside: "--exchange", "it exchanges the token of an account")
    }

    func run(_ context: CommandContext) async throws {
        if ownToken.isWanted { return try await ownToken.print(part, account, context) }
        let account = try await Account(account, context)
        if introspect { return try await showState(of: account, context.console) }
        if tokenExchange.isWanted { return try await tokenExchange.print(part, account, context.console) }
        guard let part else { return show(account, context.console) }
        var tokens = account.stored.tokens
        if part == .raw, tokens.isExpiring(within: 0, at: SystemWallClock().now) {
            tokens = try await account.explaining { try await account.session().tokens() }
        }
        let next = "carnet profile \(account.entry.descriptor.id) prints the user's profile"
        try part.print(tokens, ownedBy: account.name, next: [next], context.console)
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
        let named = values.map { Named($0.key, JSONValue.string($0.value.description)) }
        console.print(
            json: account.json
                + ["client_id": .string(account.stored.clientID), "subject": .optional(account.stored.subject)]
                + tokens.summary + ["values": .object(JSONObject(named))])
    }

    /// The introspection response for the access token.
    private func showState(of account: Account, _ console: Console) async throws {
        let known = try await account.explaining { try await account.session().introspect() }
        let texts: [(name: String, text: String?)] = [
            ("active", known.isActive ? "yes" : "no"), ("subject", known.subject), ("client id", known.clientID),
            ("username", known.username), ("issuer", known.issuer),
            ("audience", known.audience.joined(separator: " ")), ("scopes", known.scopes?.joined(separator: " ")),
            ("expires", known.expiresAt?.formatted(.iso8601)),
        ]
        let rows = texts.compactMap { name, text in text.flatMap { $0.isEmpty ? nil : [name, $0.printable] } }
        for line in Table.lines(rows) { console.print(line) }
        console.print(
            json: account.json + ["active": .bool(known.isActive), "introspection": .object(known.claims)])
    }
}
