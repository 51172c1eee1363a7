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
              carnet try acme                   sign in at a sandbox: no account, no network
              carnet new acme --issuer https://id.acme.example --output providers
                                                describe a new provider
              carnet lint                       check descriptors
              carnet login acme                 sign in, and store the tokens
              carnet token acme --raw           print a valid access token
              carnet demo                       run a web site with all providers
              carnet topics                     explain files, variables and the clients file

            Exit status:
              0    done
              1    the check found something, or the sign-in or call failed
              2    wrong usage
              3    the program itself failed
              129  ended by SIGHUP; 130 by Ctrl-C; 143 by SIGTERM
            """,
        version: Version.text,
        groupedSubcommands: [
            CommandGroup(
                name: "Providers",
                subcommands: [
                    LintCommand.self, ExplainCommand.self, SchemaCommand.self, NewCommand.self, ProvidersCommand.self,
                    ShowCommand.self, TryCommand.self, SandboxCommand.self, DemoCommand.self, CompareCommand.self,
                ]
            ),
            CommandGroup(
                name: "Accounts",
                subcommands: [
                    RegisterCommand.self, LoginCommand.self, AccountsCommand.self, TokenCommand.self,
                    ProfileCommand.self,
                    ResourcesCommand.self, CallCommand.self, RefreshCommand.self, LogoutCommand.self,
                ]
            ),
            CommandGroup(name: "Help", subcommands: [TopicsCommand.self]),
        ]
    )
}
