import ArgumentParser

/// Where descriptors come from besides those that are built in.
struct ProviderOptions: ParsableArguments {
    @Option(
        name: .customLong("providers"),
        help: ArgumentHelp("A folder of descriptors; also CARNET_PROVIDERS, a path list. Repeatable.", valueName: "dir")
    )
    var folders: [String] = []
}
