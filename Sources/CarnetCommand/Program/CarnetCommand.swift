import ArgumentParser

/// The root of the command line.
struct CarnetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "carnet",
        abstract: "Sign in with any OAuth 2.0 or OpenID Connect provider that a YAML file describes.",
        discussion: """
            Exit status: 0 done; 1 the check found something, or the login or call failed; 2 usage; 3 the program itself \
            failed; 130 after Ctrl-C.
            """,
        version: "0.1.0",
        groupedSubcommands: [
            CommandGroup(
                name: "Providers",
                subcommands: [
                    LintCommand.self, ExplainCommand.self, SchemaCommand.self, NewCommand.self, ProvidersCommand.self,
                    ShowCommand.self, TryCommand.self, SandboxCommand.self, DemoCommand.self, DoctorCommand.self,
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
        ]
    )
}
