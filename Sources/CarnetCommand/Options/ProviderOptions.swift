import ArgumentParser

/// Where descriptors come from besides those that are built in.
struct ProviderOptions: ParsableArguments {
    @Option(
        "providers", value: "dir",
        "A folder of descriptors. Repeatable; also CARNET_PROVIDERS, a list of paths.", completion: .directory)
    var folders: [String] = []
}
