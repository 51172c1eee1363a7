import ArgumentParser
import CarnetFoundation

/// The form of the output.
struct OutputOptions: ParsableArguments {
    @Flag(name: .long, help: "Print the output as one JSON document.") var json = false

    @Option(help: ArgumentHelp("When to use colours.", valueName: "when")) var color = ColorMode.auto

    @Flag(name: [.customShort("v"), .long], help: "Print requests and responses, without secrets.") var verbose = false

    @Flag(name: [.customShort("q"), .long], help: "Print no remarks, only what somebody has to act on.")
    var quiet = false
}

enum ColorMode: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never

    func allows(_ channel: OutputChannel, _ environment: HostEnvironment) -> Bool {
        switch self {
        case .always: true
        case .never: false
        // no-color.org: any value but the empty one.
        case .auto: channel.isTerminal && environment["TERM"] != "dumb" && (environment["NO_COLOR"] ?? "").isEmpty
        }
    }
}

/// The form of the output of a command that sends no request, so that there is nothing to print with `--verbose`.
struct PlainOutputOptions: ParsableArguments {
    @Flag(name: .long, help: "Print the output as one JSON document.") var json = false

    @Option(help: ArgumentHelp("When to use colours.", valueName: "when")) var color = ColorMode.auto

    var all: OutputOptions {
        var all = OutputOptions()
        (all.json, all.color, all.verbose, all.quiet) = (json, color, false, false)
        return all
    }
}
