import ArgumentParser
import CarnetDescriptors
import CarnetFoundation
import Dispatch

/// Reads the command line, runs one command, and turns the result into an exit status.
@main
enum Program {
    static func main() async {
        // A pipe whose reader is gone is an error of the write, whichever command it is.
        signal(SIGPIPE, SIG_IGN)
        await run(Array(CommandLine.arguments.dropFirst())).endProcess()
    }

    private static func run(_ arguments: [String]) async -> ExitStatus {
        let command: any ParsableCommand
        do {
            if let topic = try HelpTopic.respond(to: arguments, .current) { return print(topic) }
            command = try await CarnetCommand.asyncParseAsRoot(arguments)
        } catch let failure as Failure {
            return report(failure, arguments)
        } catch {
            return report(parsing: error, arguments)
        }
        guard let command = command as? any Subcommand else { return await runHelp(command) }
        let isServer = type(of: command).isServer
        let console = Console(command.output, environment: .current, isLog: isServer)
        let signals = ServerSignals()
        let task = Task {
            try await command.run(
                CommandContext(console: console, environment: .current, arguments: arguments, signals: signals))
        }
        let interruption = Interruption()
        let watches = interruption.watch(serving: isServer ? signals : nil) {
            console.note(
                "carnet: the refresh is being completed; a second signal ends the program and may lose the session")
        } _: {
            task.cancel()
        }
        defer { for watch in watches { watch.cancel() } }
        do {
            try await task.value
            guard console.isOutputWhole else { throw Failure(.broken, "the output cannot be written to stdout") }
            return .done
        } catch let status as ExitStatus {
            return status
        } catch {
            let failure = interruption.status.map { Failure($0, "interrupted") } ?? Failure(describing: error)
            console.report(failure)
            return failure.status
        }
    }

    private static func runHelp(_ command: any ParsableCommand) async -> ExitStatus {
        var command = command
        do {
            try command.run()
            return .done
        } catch {
            return report(parsing: error, [])
        }
    }

    /// Prints help and version, and reports mistakes of the command line.
    private static func report(parsing error: any Error, _ arguments: [String]) -> ExitStatus {
        let message = CarnetCommand.fullMessage(for: error)
        guard !CarnetCommand.exitCode(for: error).isSuccess else { return print(TerminalLine(whole(message, error))) }
        if let failure = UsageMistake.failure(in: arguments) { return report(failure, arguments) }
        if arguments.contains("--json") {
            TerminalLine(Failure(.usage, CarnetCommand.message(for: error)).json).write(to: .standardOutput)
        }
        let text = message.hasPrefix("Error: ") ? String(message.dropFirst("Error: ".count)) : message
        // It quotes what was typed.
        TerminalLine("carnet: " + text.printableLines.joined(separator: "\n")).write(to: .standardError)
        return .usage
    }

    private static func report(_ failure: Failure, _ arguments: [String]) -> ExitStatus {
        if arguments.contains("--json") { TerminalLine(failure.json).write(to: .standardOutput) }
        for line in failure.lines({ text, _ in text }) { TerminalLine(line).write(to: .standardError) }
        return failure.status
    }

    private static func print(_ text: TerminalLine) -> ExitStatus {
        guard text.write(to: .standardOutput) else {
            TerminalLine("carnet: the output cannot be written to stdout").write(to: .standardError)
            return .broken
        }
        return .done
    }

    /// Help as this program lays it out, and completion whole completion scripts.
    private static func whole(_ message: String, _ error: any Error) -> String {
        guard message.hasPrefix("OVERVIEW: ") else {
            return CompletionScript.whole(message, with: UsageMistake.commandNames + HelpTopic.names)
        }
        return HelpText.laidOut(columns: TerminalWidth.forHelp(.current)) { columns in
            CarnetCommand.fullMessage(for: error, columns: columns)
        }
    }
}
