import ArgumentParser
import CarnetDescriptors
import CarnetLint

/// Mistakes on the command line about which more can be said than that an argument is unknown.
enum UsageMistake {
    /// - Parameter arguments: The command line, which the parser has refused.
    /// - Returns: `nil` if the parser's message is the best.
    static func failure(in arguments: [String]) -> Failure? {
        unknownCommand(arguments) ?? secret(in: arguments)
    }

    // MARK: Commands

    static var commandNames: [String] {
        CarnetCommand.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    }

    private static func unknownCommand(_ arguments: [String]) -> Failure? {
        var command: any ParsableCommand.Type = CarnetCommand.self
        var path = "carnet"
        for word in arguments {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty, !word.hasPrefix("-") else { return nil }
            let names = path == "carnet" ? commandNames : subcommands.compactMap { $0.configuration.commandName }
            if let next = subcommands.first(where: { $0.configuration.commandName == word }) {
                command = next
                path += " " + word
                continue
            }
            guard !names.contains(word) else { return nil }
            // With a default, any other word is an argument of it.
            guard command.configuration.defaultSubcommand == nil || nearestName(to: word, in: names) != nil else {
                return nil
            }
            return unknown(word, "command", in: names, next: "list the commands: \(path) --help")
        }
        return nil
    }

    static func unknown(_ name: String, _ kind: String, in names: [String], next: String) -> Failure {
        Failure(describing: WritingError(unknown: name, kind, in: names, next: next))
    }

    // MARK: Secrets

    /// What to write instead of an option that would show a secret. Its value is never quoted.
    private static let advice = [
        "client-secret": "--client-secret-env NAME, or client_secret_file in the clients file",
        "secret": "--client-secret-env NAME, or client_secret_file in the clients file",
        "client-key": "client_key_file in the clients file",
        "private-key": "client_key_file in the clients file",
        "assertion": "--assertion-env NAME",
        "token": "--token-env NAME of carnet register; carnet login fetches all other tokens itself",
        "initial-access-token": "--token-env NAME of carnet register",
        "access-token": "carnet login, which fetches the tokens itself",
        "refresh-token": "carnet login, which fetches the tokens itself",
        "password": "carnet login: the provider asks for the password in the browser",
    ]

    private static func secret(in arguments: [String]) -> Failure? {
        for argument in arguments where argument.hasPrefix("--") {
            let name = String(argument.dropFirst(2).prefix { $0 != "=" }).replacing("_", with: "-")
            guard let instead = advice[name] else { continue }
            return Failure(
                .usage,
                "there is no option --\(name): other users of this machine can read the arguments of a command",
                next: ["use \(instead)", "if the secret was typed, delete the line from the history of the shell"])
        }
        return nil
    }
}
