import ArgumentParser

/// What `carnet --version` prints: the version, and in a released binary the commit.
enum Version {
    /// `.ci/release` refuses a tag with another version.
    private static let number = "0.1.0"

    /// `.ci/release` writes the commit over the dots of the linked program, so that a commit compiles nothing again.
    private static let stamp = "commit:........................................"

    static let text: String = {
        let commit = stamp.dropFirst("commit:".count)
        return commit.first == "." ? number : "\(number) (commit \(commit.prefix(12)))"
    }()
}

/// The root of the command line.
struct CarnetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "carnet",
        abstract: "Sign in with any OAuth 2.0 or OpenID Connect provider that a YAML file describes.",
        discussion: """
            Examples:
              carnet providers --search acme    find a provider
              carnet try acme                   sign in at a sandbox, without an account
              carnet new acme --issuer https://id.acme.example --output providers
                                                describe a new provider
              carnet lint                       check descriptors
              carnet login acme                 sign in, and store the tokens
              carnet token acme --raw           print a valid access token
              carnet demo                       run a web site with all providers
              carnet doctor                     check this installation

            Three commands simulate a provider: try shows one sign-in in the terminal, sandbox is a server for your \
            own program, and demo is a web site.

            More help:
              carnet help clients               client ids, secrets and the clients file
              carnet help environment           environment variables
              carnet help exit-status           exit statuses
              carnet help folders               folders and files
              carnet help formatting            JSON, colours and width
            """,
        version: Version.text,
        groupedSubcommands: [
            CommandGroup(
                name: "Providers",
                subcommands: [
                    LintCommand.self, ExplainCommand.self, SchemaCommand.self, NewCommand.self, ImportCommand.self,
                    ProvidersCommand.self, ShowCommand.self, TryCommand.self, SandboxCommand.self, DemoCommand.self,
                    CompareCommand.self,
                ]
            ),
            CommandGroup(name: "Servers", subcommands: [GatewayCommand.self]),
            CommandGroup(name: "Clients", subcommands: [RegisterCommand.self, ClientDocumentCommand.self]),
            CommandGroup(
                name: "Accounts",
                subcommands: [
                    LoginCommand.self, AccountsCommand.self, TokenCommand.self, ProfileCommand.self,
                    ResourcesCommand.self, CallCommand.self, MCPCommand.self, RefreshCommand.self, LogoutCommand.self,
                ]
            ),
            CommandGroup(name: "Installation", subcommands: [DoctorCommand.self]),
        ]
    )
}
