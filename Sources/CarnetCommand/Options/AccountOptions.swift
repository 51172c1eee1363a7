import ArgumentParser
import Carnet

/// Which provider, which account, and how to reach it.
struct AccountOptions: ParsableArguments {
    @Argument(
        value: "id|url",
        "The provider's id, see carnet providers; or the URL of a protected resource.", completion: .providerIDs)
    var provider: String

    @Option(value: "name", "The account, if the provider has several; see carnet accounts.", completion: .accounts)
    var account: String?

    @OptionGroup(title: "Provider options") var providers: ProviderOptions
    @OptionGroup(title: "Client options") var client: ClientOptions
    @OptionGroup(title: "Connection options") var network: NetworkOptions
}

/// How requests are sent.
struct NetworkOptions: ParsableArguments {
    @OptionGroup var patience: PatienceOptions

    var timeout: Int? { patience.timeout }

    @Option(
        value: "url",
        "The address of a running carnet sandbox. It receives all requests to the provider's hosts. No account is "
            + "needed. Without a registration, the sandbox's test client is used.")
    var sandbox: String?

    @OptionGroup var reach: ReachOptions

    var deadline: Duration { patience.deadline }
}

/// How long a command waits.
struct PatienceOptions: ParsableArguments {
    @Option(
        value: "seconds",
        "How long to wait, 1 to 86400 seconds: for a response (default: 30), for another process that uses the account (60), at login for the user (300)."
    )
    var timeout: Int?

    /// How long one exchange may take.
    var deadline: Duration { timeout.map { .seconds($0) } ?? TransportLimits().deadline }

    func validate() throws {
        let isAllowed = timeout.map((1...86_400).contains) ?? true
        try refuse(if: !isAllowed, "--timeout must be a number of seconds from 1 to 86400")
    }
}

/// Where descriptors come from besides those that are built in.
struct ProviderOptions: ParsableArguments {
    @Option(
        "providers", value: "dir",
        "A folder of descriptors. Repeatable; also CARNET_PROVIDERS, a list of paths.", completion: .directory)
    var folders: [String] = []
}

/// How a client of the authorization server of a resource comes to be.
struct FoundServerOptions: ParsableArguments {
    @Option(
        "client-id-document", value: "url",
        "The URL of the client's metadata, for a resource whose server takes it as the client id. Otherwise a client is registered."
    )
    var document: String?

    @Option(
        "authorization-host", value: "host",
        "A host that belongs to the authorization server of the resource, although its issuer is at another host, or that of the server to use if the resource names several. Repeatable."
    )
    var authorizationHosts: [String] = []
}
