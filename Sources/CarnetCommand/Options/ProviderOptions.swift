import ArgumentParser

/// Where descriptors come from besides those that are built in.
struct ProviderOptions: ParsableArguments {
    @Option(
        name: .customLong("providers"),
        help: ArgumentHelp(
            "A folder of descriptors. Repeatable; also CARNET_PROVIDERS, a list of paths.", valueName: "dir"),
        completion: .directory
    )
    var folders: [String] = []
}
