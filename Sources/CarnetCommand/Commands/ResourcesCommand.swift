import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

struct ResourcesCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "resources",
        abstract: "List the resources that the granted scopes allow, and the scopes that other resources need.",
        discussion: """
            With check, print what a server with a resource map decides about a request.

            Examples:
              carnet resources acme
              carnet resources acme --map resources.yaml
              carnet resources check resources.yaml GET /accounts/5 --scopes accounts
              carnet resources check resources.yaml --requests requests.yaml
            """
    )

    @OptionGroup var account: AccountOptions
    @Argument(
        help: ArgumentHelp("After check: a resource map, a method and a path.", valueName: "request"),
        completion: .file())
    var request: [String] = []

    @OptionGroup var map: MapOptions
    @OptionGroup(title: "Options of check") var check: CheckOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(_ context: CommandContext) async throws {
        guard account.provider != "check" || request.isEmpty && check.requests == nil else {
            try ResourceCheck(options: check, console: context.console).run(request)
            return
        }
        guard request.isEmpty else {
            throw Failure(
                .usage, "\"\(request[0])\" is no argument of this command", next: [ResourceCheck.usage])
        }
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
        if access.isEmpty { context.console.note("the descriptor has no resources; add --map FILE") }
        context.console.print(
            json: account.json
                + JSONObject(["granted": .list(granted), "resources": .array(access.map(\.json))])
        )
    }
}
