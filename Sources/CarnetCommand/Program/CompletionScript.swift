/// The parser's completion scripts, which offer nothing after `carnet help`.
enum CompletionScript {
    /// - Parameter script: A script for bash, zsh or fish; any other text is returned as it is.
    static func completingHelp(_ script: String, with names: [String]) -> String {
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
