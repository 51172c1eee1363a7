import ArgumentParser

struct GatewayCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Print what a gateway in front of programs decides about a request.",
        discussion: """
            A gateway file says who may send which requests. See Docs/gateway.md.

            Examples:
              carnet gateway check gateway.yaml GET https://apps.example/admin
              carnet gateway check gateway.yaml GET https://apps.example/admin --as provider=acme groups=ops
              carnet gateway check gateway.yaml --requests requests.yaml
            """
    )

    @Argument(
        help: ArgumentHelp("check, a gateway file, a method and a URL.", valueName: "words"), completion: .yamlFile)
    var words: [String] = []

    @OptionGroup(title: "Options of check") var check: GatewayCheckOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(_ context: CommandContext) async throws {
        guard words.first == "check" else {
            throw Failure(.usage, "gateway needs a word such as check", next: [GatewayCheck.usage])
        }
        try GatewayCheck(options: check, context).run(Array(words.dropFirst()))
    }
}
