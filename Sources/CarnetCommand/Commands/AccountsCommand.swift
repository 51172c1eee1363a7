import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetStorage

struct AccountsCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts", abstract: "List the signed-in accounts. No token is decrypted.",
        discussion: """
            Examples:
              carnet accounts
              carnet accounts --json
            """)

    /// How many damaged records are named one by one.
    private static let warningLimit = 10

    @OptionGroup(title: "Output options") var plainOutput: PlainOutputOptions
    var output: OutputOptions { plainOutput.all }

    func run(_ context: CommandContext) async throws {
        let stores = UserStore(context.environment)
        let real = try await stores.tokens(ofSandbox: false).inventory()
        let sandboxed = try await stores.tokens(ofSandbox: true).inventory()
        let records = real.accounts.map { ($0, false) } + sandboxed.accounts.map { ($0, true) }
        let accounts = records.filter { key, _ in !key.isRegistration }
        let sources = try ProviderSources(ProviderOptions.parse([]), context, isQuiet: true)
        func resource(_ key: ConnectionKey) -> String? {
            (try? sources.entry(key.provider)).flatMap { KnownResources.url(of: $0) }
        }
        let rows = accounts.map { key, isSandbox in
            [
                key.provider.printable, key.account.printable,
                isSandbox ? "(at a sandbox)" : resource(key)?.printable ?? "",
            ]
        }
        for line in Table.lines(rows) { context.console.print(line) }
        let damaged = real.damaged + sandboxed.damaged
        for error in damaged.prefix(Self.warningLimit) {
            context.console.warn(error.reason.printable)
            if let remedy = error.remedy { context.console.note("  next  \(remedy.printable)") }
        }
        if damaged.count > Self.warningLimit {
            context.console.warn("\(damaged.count - Self.warningLimit) more records cannot be opened")
        }
        if !sandboxed.accounts.isEmpty {
            context.console.note("to use an account at a sandbox, add --sandbox \(stores.lastSandbox ?? "ADDRESS")")
        }
        if accounts.isEmpty, damaged.isEmpty { context.console.note("no account is signed in") }
        context.console.print(json: [
            "accounts": .array(
                accounts.map { key, isSandbox in
                    .object(key.json + ["sandbox": .bool(isSandbox), "resource": .optional(resource(key))])
                }),
            "damaged": .array(damaged.map { ["message": .string($0.reason), "next": .optional($0.remedy)] }),
        ])
        if !damaged.isEmpty { throw ExitStatus.broken }
    }
}
