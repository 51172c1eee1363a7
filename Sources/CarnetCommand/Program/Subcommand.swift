import ArgumentParser

/// One command of the command line.
protocol Subcommand: AsyncParsableCommand {
    var output: OutputOptions { get }

    /// - Throws: `Failure`, `ExitStatus` when all is said already, or an error of the libraries.
    func run(_ context: CommandContext) async throws
}

/// The context of each command.
struct CommandContext: Sendable {
    let console: Console
    let environment: HostEnvironment
}
