import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetProtocol

/// An account's access token, exchanged for another (RFC 8693).
struct TokenExchangeOptions: ParsableArguments {
    @Flag(name: .customLong("exchange"), help: "Exchange the access token for another (RFC 8693).")
    var isWanted = false

    @Option("audience", value: "name", "The audience of the exchanged token. Repeatable.")
    var audience: [String] = []

    func validate() throws {
        if !isWanted, !audience.isEmpty { throw ValidationError("--audience needs --exchange") }
    }

    func print(_ part: TokenCommand.Part?, _ account: Account, _ console: Console) async throws {
        let session = try await account.session()
        let (tokens, _) = try await account.explaining {
            try await session.exchange { [audience] token in
                TokenExchange(TokenExchange.TypedToken(token), audience: audience)
            }
        }
        if let part { return try part.print(tokens, ownedBy: account.name, console) }
        for line in Table.lines(tokens.rows(now: SystemWallClock().now)) { console.print(line) }
        console.print(json: account.json + tokens.summary)
    }
}
