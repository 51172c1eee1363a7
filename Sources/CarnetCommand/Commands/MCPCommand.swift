import ArgumentParser
import CarnetFoundation
import HTTPTypes

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
              carnet mcp https://api.acme.example/mcp --header 'X-Team: blue' --header-env 'X-API-Key: ACME_KEY'
              carnet mcp https://api.acme.example/mcp --client-credentials --client-id ID --client-secret-env SECRET
            """)

    @OptionGroup var account: AccountOptions

    @Flag(help: "Print the authorization URL on its own line of stderr instead of opening a browser.")
    var noBrowser = false

    @OptionGroup var found: FoundServerOptions
    @OptionGroup var headers: OwnHeaderOptions
    @OptionGroup(title: "Options without an account") var ownToken: ClientTokenOptions

    @Flag(
        help:
            "Send messages over plain http to the host of the URL, for a server without a sign-in in a private network. Everybody on the way can read and change them."
    )
    var allowHTTP = false

    @Flag(name: [.customShort("q"), .long], help: "Print no remarks, only what somebody has to act on.")
    var quiet = false

    @Flag(name: [.customShort("v"), .long], help: "Print requests and responses on stderr, without secrets.")
    var verbose = false

    /// Stdout is the host's.
    var output: OutputOptions {
        var output = OutputOptions()
        (output.json, output.color, output.verbose, output.quiet) = (false, .auto, verbose, quiet)
        return output
    }

    func validate() throws {
        try ownToken.validate(beside: account)
        try headers.check()
        let ofSignIn = [("--no-browser", noBrowser), ("--client-id-document", found.document != nil)]
        let ofAccount =
            ofSignIn + [
                ("--account", account.account != nil), ("--authorization-host", !found.authorizationHosts.isEmpty),
            ]
        if ownToken.isWanted {
            try refuse(ofSignIn, beside: "--client-credentials or --jwt-bearer", "nobody signs in")
        }
        if allowHTTP { try refuse(ofAccount, beside: "--allow-http", "nobody signs in") }
        if headers.hasAuthorization {
            try refuse(ofAccount, beside: "--header-env Authorization", "nobody signs in")
        }
        let url = try? WebURL(account.provider, isPlain: true)
        let isPlain = url?.scheme == "http" && (try? WebURL(account.provider)) == nil
        try refuse(
            if: isPlain && !allowHTTP,
            "http is allowed only on loopback hosts; use https, or --allow-http for a server without a sign-in")
        try refuse(
            if: allowHTTP && (!account.provider.hasPrefix("http://") || ownToken.isWanted),
            "--allow-http is for the http:// URL of a server without a sign-in")
        try refuse(
            if: allowHTTP && isPlain && !headers.secretHeaders.isEmpty,
            "--header-env is for secrets, which plain http exposes; use https, or --header for a value that is no secret"
        )
    }

    func run(_ context: CommandContext) async throws {
        let own = try headers.fields(context.environment)
        let plain = allowHTTP ? try ProviderSources.resource(account.provider, isPlain: true) : nil
        if let plain, !plain.isLoopback {
            context.console.warn("everybody between here and \(plain.authority) can read and change the messages")
        }
        let account = BridgeAccount(
            account, found, way: noBrowser ? .printed : .browser, ownToken: ownToken, plain: plain,
            neverSignsIn: own.contains(.authorization), context)
        await Bridge(BridgeServer(account: account, own: own), context.console).run()
        try Task.checkCancellation()
    }
}
