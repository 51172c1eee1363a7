import ArgumentParser
import CarnetProtocol

/// The registration of the client at the provider.
struct ClientOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("A YAML file of client registrations, such as acme: { client_id: ID }.", valueName: "file"))
    var clients: String?

    @Option(help: ArgumentHelp("The client id.", valueName: "id"))
    var clientID: String?

    @Option(help: ArgumentHelp("The environment variable with the client secret.", valueName: "name"))
    var clientSecretEnv: String?

    @OptionGroup var input: InputOptions

    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp("The registered redirect URI. A loopback URI may omit the port.", valueName: "uri")
    )
    var redirectURI: String?
}

/// Which variant of a descriptor, and the values for its inputs.
struct InputOptions: ParsableArguments {
    @Option(
        name: .customLong("input"),
        help: ArgumentHelp("A value for an input of the descriptor. Repeatable.", valueName: "name=value")
    )
    var pairs: [String] = []

    @Option(help: ArgumentHelp("The environment of the provider, such as its sandbox.", valueName: "name"))
    var environment: String?

    /// The inputs by name; of a repeated one, the last.
    var values: [String: String] {
        Dictionary(pairs.compactMap(Self.split)) { $1 }
    }

    func validate() throws {
        for pair in pairs where Self.split(pair) == nil {
            throw ValidationError("--input must be NAME=VALUE, e.g. --input domain=login.example.com")
        }
    }

    private static func split(_ pair: String) -> (String, String)? {
        guard let equals = pair.firstIndex(of: "="), equals > pair.startIndex else { return nil }
        return (String(pair[..<equals]), String(pair[pair.index(after: equals)...]))
    }
}
