import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFiles

struct AccountsCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "List the accounts that are signed in, without opening their tokens."
    )

    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(_ context: CommandContext) async throws {
        let stores = UserStore(context.environment)
        let real = try await stores.tokens(ofSandbox: false).inventory()
        let pretended = try await stores.tokens(ofSandbox: true).inventory()
        let accounts = real.accounts.map { ($0, false) } + pretended.accounts.map { ($0, true) }
        let rows = accounts.map { key, isSandbox in
            [key.provider.printable, key.account.printable, isSandbox ? "(at a sandbox)" : ""]
        }
        for line in Table.lines(rows) { context.console.answer(line) }
        for error in real.damaged + pretended.damaged { context.console.warn(error.reason.printable) }
        if accounts.isEmpty { context.console.note("no account is signed in") }
        context.console.answer(
            json: JSONObject([
                "accounts": .array(
                    accounts.map { key, isSandbox in .object(key.json + JSONObject(["sandbox": .bool(isSandbox)])) }
                )
            ])
        )
    }
}
