import ArgumentParser
import Carnet

/// Which provider, which account, and how to reach it.
struct AccountOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The provider's id; see carnet providers.", valueName: "id"),
        completion: .providerIDs)
    var provider: String

    @Option(help: ArgumentHelp("The account, if there are several; see carnet accounts.", valueName: "name"))
    var account: String?

    @OptionGroup(title: "Provider options") var providers: ProviderOptions
    @OptionGroup(title: "Client options") var client: ClientOptions
    @OptionGroup(title: "Connection options") var network: NetworkOptions
}

/// How requests are sent.
struct NetworkOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The maximum wait in seconds, from 1 to 86400: for a response, for another process that uses the account, or at login for the user.",
            valueName: "seconds"))
    var timeout: Int?

    @Option(
        help: ArgumentHelp(
            "The address of a running carnet sandbox, which gets every request for the provider's hosts. No account "
                + "is needed; without a registration the sandbox's test client is used.",
            valueName: "url"
        )
    )
    var sandbox: String?

    @OptionGroup var reach: ReachOptions

    /// How long one exchange may take.
    var deadline: Duration { timeout.map { .seconds($0) } ?? TransportLimits().deadline }

    func validate() throws {
        if let timeout, !(1...86_400).contains(timeout) {
            throw ValidationError("--timeout must be a number of seconds from 1 to 86400")
        }
    }
}
