import ArgumentParser

/// How the servers of providers are asked without an account.
struct ProbeOptions: ParsableArguments {
    @Flag(
        name: .customLong("probe"),
        help: ArgumentHelp(
            "Send a request with a made-up client to each endpoint of the provider, and report what is not as described."
        ))
    var isOn = false

    @Option(
        name: .customLong("probe-pause"),
        help: ArgumentHelp("Seconds between two requests of --probe. 1 by default.", valueName: "seconds"))
    var pause: Int?

    @Option(
        name: .customLong("probe-results"),
        help: ArgumentHelp(
            "A JSON file for the outcomes of --probe. The command does not ask providers that the file has already.",
            valueName: "path"))
    var results: String?

    @Option(
        name: .customLong("probe-since"),
        help: ArgumentHelp(
            "A file of --probe-results from an earlier run. Report only what changed.", valueName: "path"))
    var since: String?

    func validate() throws {
        guard pause.map((0...60).contains) ?? true else { throw ValidationError("--probe-pause must be from 0 to 60") }
        guard isOn || results == nil && since == nil && pause == nil else {
            throw ValidationError("--probe-results, --probe-since and --probe-pause need --probe")
        }
    }
}
