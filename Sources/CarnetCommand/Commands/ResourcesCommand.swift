import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

struct ResourcesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resources",
        abstract: "List the resources that the granted scopes allow, or check a resource map.",
        discussion: """
            carnet resources ID is short for carnet resources list ID, whose help has the options.

            Examples:
              carnet resources acme
              carnet resources check resources.yaml GET /accounts/5 --scopes accounts
            """,
        subcommands: [ResourcesListCommand.self, ResourcesCheckCommand.self],
        defaultSubcommand: ResourcesListCommand.self
    )
}

struct ResourcesListCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the resources that the granted scopes allow, and the scopes that other resources need.",
        discussion: """
            Examples:
              carnet resources acme
              carnet resources list acme --map resources.yaml
            """)

    @OptionGroup var account: AccountOptions
    @OptionGroup var map: MapOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(_ context: CommandContext) async throws {
        let account = try await Account(account, context)
        let map = try await account.explaining { try await self.map.map(for: account, context.console) }
        let granted = account.stored.tokens.scopes
        let access = map.access(granted: granted)
        let open = access.filter(\.isOpen).map(\.resource)
        let rows = open.map { [$0.title.printable, $0.method.rawValue, $0.url] }
        for line in Table.lines(rows) { context.console.print(line) }
        let closed = access.filter { !$0.isOpen }.map { access in
            [access.resource.title.printable, "needs " + access.missing.joined(separator: " ").printable]
        }
        if !closed.isEmpty {
            if !open.isEmpty { context.console.print() }
            context.console.print(context.console.paint("not granted:", .faint))
            for line in Table.lines(closed, indentation: 2) { context.console.print(line) }
        }
        for (names, reason) in map.unknown {
            context.console.note("the URL of \"\(names.last ?? "")\" is not known: \(reason)".printable)
        }
        if access.isEmpty, map.unknown.isEmpty {
            context.console.note("the descriptor has no resources; add --map FILE")
        }
        context.console.print(
            json: account.json + ["granted": .list(granted), "resources": .array(access.map(\.json))])
    }
}
