import ArgumentParser

/// Which provider, which account, and how to reach it.
struct AccountOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The provider's id; see carnet providers.", valueName: "id"),
        completion: .providerIDs)
    var provider: String

    @Option(help: ArgumentHelp("The account, where there are several; see carnet accounts.", valueName: "name"))
    var account: String?

    @OptionGroup(title: "Provider options") var providers: ProviderOptions
    @OptionGroup(title: "Client options") var client: ClientOptions
    @OptionGroup(title: "Connection options") var network: NetworkOptions
}

/// How requests are sent.
struct NetworkOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How long to wait: for a response, for another process that uses the account, or at login for the user.",
            valueName: "seconds"))
    var timeout: Int?

    @Option(
        help: ArgumentHelp(
            "The address of a running carnet sandbox, to which every request for the provider's hosts goes. No account "
                + "is needed; without a registration the sandbox's own pretend client is used.",
            valueName: "url"
        )
    )
    var sandbox: String?

    func validate() throws {
        if let timeout, !(1...86_400).contains(timeout) {
            throw ValidationError("--timeout takes a number of seconds from 1 to 86400")
        }
    }
}
