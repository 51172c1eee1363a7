import ArgumentParser

struct MCPCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Connect a host of the Model Context Protocol to a server that requires a sign-in.",
        discussion: """
            The host starts this command and writes its messages to stdin. The command sends them to the server over HTTP \
            with a valid access token, and writes the server's messages to stdout. Notes are on stderr.

            If nobody is signed in, the browser opens. Several commands at the same server share one account, and one of \
            them asks the user. Most hosts wait less than a minute for the first response: run carnet login before.

            Examples:
              carnet mcp https://api.acme.example/mcp
              carnet mcp https://api.acme.example/mcp --account work --no-browser
            """
    )

    @OptionGroup var account: AccountOptions

    @Flag(help: "Print the authorization URL on its own line of stderr instead of opening a browser.")
    var noBrowser = false

    @OptionGroup var found: FoundServerOptions

    @Flag(name: [.customShort("v"), .long], help: "Print requests and responses on stderr, without secrets.")
    var verbose = false

    /// Stdout is the host's.
    var output: OutputOptions {
        var output = OutputOptions()
        (output.json, output.color, output.verbose) = (false, .auto, verbose)
        return output
    }

    func run(_ context: CommandContext) async throws {
        let account = BridgeAccount(account, found, way: noBrowser ? .printed : .browser, context)
        await Bridge(BridgeServer(account: account), context.console).run()
        try Task.checkCancellation()
    }
}
