import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

struct LoginCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Sign in to a provider and store the tokens.",
        discussion: """
            The authorization page opens in the browser, and the command receives the callback at 127.0.0.1. With \
            --sandbox, the page and all requests go to a running carnet sandbox: no account is needed.

            A protected resource needs no descriptor and no client id. Its metadata names its authorization server (RFC \
            9728), where the command registers a client.

            Examples:
              carnet login acme --client-id ID --client-secret-env ACME_SECRET
              carnet login acme --no-browser --scope openid --scope email
              carnet login acme --device
              carnet login acme --sandbox http://127.0.0.1:8400
              carnet login https://api.acme.example/mcp
            """)

    @OptionGroup var account: AccountOptions

    @Option("scope", value: "scope", "A scope to request instead of the default scopes. Repeatable.")
    var scopes: [String] = []

    @Flag(help: "Print the authorization URL on its own line of stderr instead of opening a browser.")
    var noBrowser = false

    @Flag(help: "Print the authorization URL, and read the callback URL from stdin.") var paste = false

    @Flag(help: "Sign in on another device: show an address and a code, and wait (RFC 8628).") var device = false

    @OptionGroup var found: FoundServerOptions

    @Flag(
        name: .customLong("register-again"),
        help: "Register another client for a resource, because its server no longer knows the stored one.")
    var registersAgain = false

    @OptionGroup(title: "Authorization options") var request: RequestOptions

    @Option("choose", value: "name=value", "The candidate to use if a lookup finds several, such as company=c-1.")
    var choices: [String] = []

    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        try refuse(if: noBrowser && paste, "--no-browser and --paste cannot be combined")
        guard device else { return }
        try refuse(
            [("--no-browser", noBrowser), ("--paste", paste)] + request.ofPage, beside: "--device",
            "the sign-in has no page on this device, and no authorization request")
    }

    func run(_ context: CommandContext) async throws {
        let sources = try ProviderSources(account.providers, context)
        // --timeout may be longer here, because it is for the user as well.
        let deadline = min(account.network.deadline, TransportLimits().deadline)
        let connector = try Connector(account.network, account.client, sources, context, deadline: deadline)
        let entry = try await connector.entryToSignIn(account.provider, sources, context, found)
        try requirePage(of: entry.descriptor)
        try UserStore(context.environment).prepare(ofSandbox: connector.sandbox != nil)
        try await connector.requireReadableRecords(of: entry.descriptor.id, account: account.account)
        try await ProviderFailure(entry: entry, givenOptions: connector.givenOptions).explaining {
            let registration = try await connector.registration(
                for: entry, registering: found.document, again: registersAgain)
            for line in entry.descriptor.statusLines { context.console.warn(line.printable) }
            let failures = ProviderFailure(
                entry: entry, redirectURI: registration.redirectURI, givenOptions: connector.givenOptions)
            try await failures.explaining {
                let client = try connector.client(for: entry, registration: registration)
                do {
                    try await signIn(with: client, of: entry, connector, failures, context.console)
                } catch let error as OAuthError
                    where error.kind == .expiredAttempt && !registersAgain
                    && (try? connector.registersItself(at: entry)) == true
                {
                    throw error.meaning(
                        error.kind, error.message,
                        hint: "begin the sign-in again; if the server showed an error page, add --register-again")
                }
            }
        }
        if let sandbox = connector.sandbox { UserStore(context.environment).remember(sandbox) }
    }

    private func requirePage(of descriptor: ProviderDescriptor) throws {
        guard !device, !descriptor.hasSignInPage else { return }
        let id = descriptor.id.rawValue.shellWord
        let options: [RequestKind: String] = [
            .device: "login \(id) --device", .clientCredentials: "call \(id) --client-credentials",
            .jwtBearer: "call \(id) --jwt-bearer",
        ]
        throw Failure(
            .usage, "\(descriptor.id) has no page to sign in at: endpoints.authorization is missing",
            next: descriptor.grantsWithoutPage.compactMap { options[$0] }.map { "run carnet \($0)" })
    }

    /// Takes the candidate that the command line names.
    private var chooser: ConnectionChooser {
        let choices = choices
        return { choice in
            let start = choice.name + "="
            if let chosen = choices.first(where: { $0.hasPrefix(start) }) {
                return String(chosen.dropFirst(start.count))
            }
            throw Failure(
                .usage, "the lookup \(choice.name.printable) found several candidates; the tokens are kept",
                next: choice.candidates.prefix(20).map { candidate in
                    "--choose \("\(choice.name)=\(candidate.value)".shellWord.printable)  (\(candidate.label.printable))"
                })
        }
    }

    private func signIn(
        with client: OAuthClient, of entry: ProviderRegistry.Entry, _ connector: Connector,
        _ failures: ProviderFailure, _ console: Console
    ) async throws {
        let timeout = account.network.timeout ?? 300
        let way: LoginAgent.Way = paste ? .pasted : noBrowser ? .printed : .browser
        let wanted = try entry.descriptor.wantedScopes(scopes)
        let session =
            if device {
                try await signInOnDevice(with: client, scopes: wanted.isEmpty ? nil : wanted, connector, console)
            } else {
                try await client.signIn(
                    with: connector.agent(
                        LoginAgent(way: way, timeout: timeout, secrets: connector.secretVariables, console: console)),
                    options: try request.options(
                        scopes: wanted.isEmpty ? nil : wanted, lifetime: TimeInterval(timeout)),
                    account: account.account,
                    choosing: chooser
                )
            }
        let tokens = try await session.storedTokens()
        let name = session.key.account
        if account.account == nil, tokens.idToken == nil, name == "default" {
            let cause = await failures.causeOfMissingName(session, at: client.provider).map { ": \($0)" } ?? ""
            console.warn(
                "the provider does not say who signed in\(cause.printable); --account NAME gives the account a name")
        }
        console.print("signed in to \(client.provider.name.printable) as \(name.printable)")
        console.print(json: session.key.json + ["descriptor_files": .list(entry.files)] + tokens.summary)
        for row in Table.lines(tokens.rows(now: SystemWallClock().now), indentation: 2) { console.print(row) }
        let requested = wanted.isEmpty ? client.registration.scopes ?? client.provider.scopes.defaults : wanted
        for line in tokens.missingScopes(of: requested, at: client.provider) { console.warn(line) }
        if let oddity = tokens.oddLifetime(at: client.provider) { console.warn(oddity) }
        let named = account.account.map { " --account \($0.shellWord)" } ?? ""
        let rest = "\(account.provider.shellWord)\(named)\(connector.givenOptions)"
        guard client.provider.resource == nil else { return console.note("next: carnet token \(rest)".printable) }
        console.note("next: carnet profile \(rest), carnet resources \(rest)".printable)
    }

    /// A sign-in that the user confirms on another device.
    private func signInOnDevice(
        with client: OAuthClient, scopes: [String]?, _ connector: Connector, _ console: Console
    ) async throws -> Session {
        var device = try await console.showing("requesting a code") {
            try await client.beginDeviceSignIn(scopes: scopes, resource: request.resources)
        }
        console.note("open this address on any device:")
        console.note(connector.shownURL(device.verificationURI))
        console.note("and enter the code: \(device.userCode.printable)")
        if let complete = device.verificationURIComplete {
            console.note("or open this address, which has the code:")
            console.note(connector.shownURL(complete))
        }
        let now = SystemWallClock().now
        if let timeout = account.network.timeout {
            device.expiresAt = min(device.expiresAt, now.addingTimeInterval(TimeInterval(timeout)))
        }
        let seconds = Int(device.expiresAt.timeIntervalSince(now).rounded(.up))
        console.note("waiting for the sign-in, at most \(Duration.seconds(seconds).inSeconds); Ctrl-C stops it")
        return try await console.showing("waiting for the other device") {
            try await client.completeDeviceSignIn(device, account: account.account, choosing: chooser)
        }
    }
}
