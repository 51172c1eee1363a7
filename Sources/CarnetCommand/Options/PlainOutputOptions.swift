import ArgumentParser

/// The form of the output of a command that sends no request, so that there is nothing to print with `--verbose`.
struct PlainOutputOptions: ParsableArguments {
    @Flag(name: .long, help: "Print the output as one JSON document.")
    var json = false

    @Option(help: ArgumentHelp("When to use colours.", valueName: "when"))
    var color = ColorMode.auto

    var all: OutputOptions {
        var all = OutputOptions()
        (all.json, all.color, all.verbose, all.quiet) = (json, color, false, false)
        return all
    }
}
