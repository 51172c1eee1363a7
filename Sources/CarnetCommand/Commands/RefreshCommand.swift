import ArgumentParser
import Carnet
import CarnetDescriptors

struct RefreshCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh", abstract: "Refresh an account's tokens now.",
        discussion: """
            Examples:
              carnet refresh acme
              carnet refresh acme --account alice@example.com
            """)

    @OptionGroup var account: AccountOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(_ context: CommandContext) async throws {
        let account = try await Account(account, context)
        let session = try await account.session()
        let tokens = try await account.explaining {
            try await context.console.showing("refreshing the tokens") { try await session.refresh() }
        }
        context.console.print("refreshed the tokens of \(account.name.printable)")
        let rows = tokens.rows(now: SystemWallClock().now)
        for line in Table.lines(rows, indentation: 2) { context.console.print(line) }
        context.console.print(json: account.json + tokens.summary)
    }
}
