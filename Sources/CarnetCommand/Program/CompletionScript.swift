import ArgumentParser

/// The parser's completion scripts, which know nothing of default subcommands, and offer nothing after `carnet help`.
enum CompletionScript {
    /// - Parameter script: A script for bash, zsh or fish; any other text is returned as it is.
    static func whole(_ script: String, with names: [String]) -> String {
        completingHelp(CarnetCommand.configuration.subcommands.reduce(script, completingDefault), with: names)
    }

    /// Inserts the default subcommand where a word begins no other one.
    private static func completingDefault(_ script: String, of command: any ParsableCommand.Type) -> String {
        let configuration = command.configuration
        guard let name = configuration.commandName,
            let standard = configuration.defaultSubcommand?.configuration.commandName
        else { return script }
        let words = (configuration.subcommands.compactMap { $0.configuration.commandName } + ["-h", "--help"])
            .map { " " + $0 }.joined()
        func isOther(_ word: String) -> String { "-n \"\(word)\" && '\(words)' != *\" \(word)\"*" }
        let bash = "\n    local -a unparsed_words=(\"${COMP_WORDS[@]:1:${COMP_CWORD}}\")\n"
        let zsh = "\n_carnet_\(name)() {\n"
        let fish = "\n    set -l unparsed_tokens (__carnet_tokens -pc)\n"
        return
            script
            .replacing(
                bash,
                with: bash + "    [[ \"${unparsed_words[0]}\" = '\(name)' && \(isOther("${unparsed_words[1]}")) ]] &&\n"
                    + "        unparsed_words=('\(name)' '\(standard)' \"${unparsed_words[@]:1}\")\n"
            )
            .replacing(
                script.hasPrefix("#compdef") ? zsh : "\u{0}",
                with: zsh + "    if [[ \(isOther("${words[2]}")) ]]; then\n"
                    + "        words=('\(name)' '\(standard)' \"${(@)words[2,-1]}\")\n        (( CURRENT++ ))\n    fi\n"
            )
            .replacing(
                fish,
                with: fish + "    set -l next $unparsed_tokens[3..] (commandline -ct)\n"
                    + "    if test \"$unparsed_tokens[2]\" = '\(name)' -a -n \"$next[1]\""
                    + "; and not string match -q -- \"* $next[1]*\" '\(words)'\n"
                    + "        set unparsed_tokens $unparsed_tokens[1..2] '\(standard)' $unparsed_tokens[3..]\n    end\n"
            )
    }

    private static func completingHelp(_ script: String, with names: [String]) -> String {
        var script = script
        let words = names.filter { $0 != "help" }.joined(separator: " ")
        // bash: the function of a command without arguments has only its flags.
        if script.hasPrefix("#!/bin/bash"), let start = script.firstRange(of: "_carnet_help() {\n"),
            let end = script[start.upperBound...].firstRange(of: "\n}\n")
        {
            script.replaceSubrange(
                end.lowerBound..<end.lowerBound,
                with: "\n\n    # Offer commands and topics\n    if [[ \"${positional_number}\" -eq 1 ]]; then\n"
                    + "        __carnet_add_completions -W '\(words.replacing(" ", with: "'$'\\n''"))'\n    fi")
        }
        // zsh
        script = script.replacing("'*:subcommands:'", with: "'*:subcommands:(\(words))'")
        // fish
        if script.hasPrefix("function __carnet_") {
            let condition = "__carnet_should_offer_completions_for_positional \"carnet help\" -eq 1"
            script += "\ncomplete -c 'carnet' -n '\(condition)' -fa '\(words)'"
        }
        return script
    }
}
