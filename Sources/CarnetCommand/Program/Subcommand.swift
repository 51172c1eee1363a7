import ArgumentParser
import CarnetLint

/// One command of the command line.
protocol Subcommand: AsyncParsableCommand {
    var output: OutputOptions { get }

    /// Whether the command serves until it is asked to end: then SIGHUP and the first other signal go to `signals` of its
    /// context, and what it serves may be completed.
    static var isServer: Bool { get }

    /// - Throws: `Failure`, `ExitStatus` when all is said already, or an error of the libraries.
    func run(_ context: CommandContext) async throws
}

extension Subcommand {
    static var isServer: Bool { false }
}

/// The context of each command.
struct CommandContext: Sendable {
    let console: Console
    let environment: HostEnvironment
    /// The command line that was typed, without the program's name.
    var arguments: [String] = []
    var signals = ServerSignals()

    /// The command line that was typed, with another option at its end; `nil` if an option may show something private.
    func commandLine(adding option: String) -> String? {
        let isPrivate = arguments.contains { argument in
            ["-d", "--data", "--input"].contains { argument == $0 || argument.hasPrefix($0 + "=") }
        }
        return isPrivate ? nil : (["carnet"] + arguments.map(\.shellWord)).joined(separator: " ") + " " + option
    }
}
