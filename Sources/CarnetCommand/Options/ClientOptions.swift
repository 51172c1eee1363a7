import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

/// The registration of the client at the provider.
struct ClientOptions: ParsableArguments {
    @Option(
        value: "file", "A YAML file of client registrations, such as acme: { client_id: ID }.", completion: .yamlFile)
    var clients: String?

    @Option(value: "id", "The client id.") var clientID: String?

    @Option(value: "name", "The environment variable with the client secret.") var clientSecretEnv: String?

    @OptionGroup var input: InputOptions

    @Option("redirect-uri", value: "uri", "The registered redirect URI. A loopback URI may omit the port.")
    var redirectURI: String?
}

/// Which variant of a descriptor, and the values for its inputs.
struct InputOptions: ParsableArguments {
    @Option("input", value: "name=value", "A value for an input of the descriptor. Repeatable.")
    var pairs: [String] = []

    @Option(
        "input-env", value: "name=variable",
        "The environment variable with the value of an input, for a secret. Repeatable.")
    var variables: [String] = []

    @Option(value: "name", "The environment of the provider, such as its sandbox.") var environment: String?

    /// ` --environment NAME`, if it was given.
    var environmentOption: String { environment.map { " --environment \($0.shellWord)" } ?? "" }

    /// The inputs whose values the options show, by name; of a repeated one, the last.
    var values: [String: String] {
        Dictionary(pairs.compactMap(Self.split)) { $1 }
    }

    /// The names of the variables that the options name.
    var variableNames: [String] { variables.compactMap { Self.split($0)?.1 } }

    /// All inputs. A secret that an option shows is warned of, because other users of the machine can read it.
    ///
    /// - Throws: `VariableError`.
    func values(
        for descriptor: ProviderDescriptor, _ environment: HostEnvironment, _ console: Console
    ) throws -> [String: String] {
        var values = values
        for name in values.keys.sorted() where descriptor.hasSecretInput(name) {
            console.warn(
                "the input \(name) is secret, and other users of this machine can read the options of a command; use "
                    + "--input-env \(name)=VARIABLE")
        }
        for (name, variable) in variables.compactMap(Self.split) {
            values[name] = try environment.variables.value(ofVariable: variable, at: "--input-env \(name)")
        }
        return values
    }

    /// Checks that a descriptor of a place that nobody named gets only inputs that an option shows, or that its account
    /// signed in with. Only that descriptor says where an input is sent, and whether it is secret.
    ///
    /// - Throws: `Failure` for another input.
    func check(_ inputs: [String: String], for descriptor: ProviderDescriptor, stored: Connection? = nil) throws {
        guard !descriptor.isFromNamedPlace else { return }
        let shown = values.filter { !descriptor.hasSecretInput($0.key) }
        let others = inputs.filter { shown[$0.key] != $0.value && stored?.inputs[$0.key] != $0.value }
        if let name = others.keys.min() { throw Registrations.untrusted(descriptor, with: "the input \(name)") }
    }

    func validate() throws {
        try refuse(
            if: pairs.contains { Self.split($0) == nil },
            "--input must be NAME=VALUE, e.g. --input domain=login.example.com")
        let named = variables.compactMap { Self.split($0)?.0 }
        try refuse(if: named.count < variables.count, "--input-env must be NAME=VARIABLE")
        if let name = named.first(where: { values[$0] != nil }) {
            throw ValidationError("--input and --input-env cannot both give the input \(name)")
        }
    }

    /// The name and the value of `NAME=VALUE`; `nil` without a name.
    static func split(_ pair: String) -> (String, String)? {
        guard let equals = pair.firstIndex(of: "="), equals > pair.startIndex else { return nil }
        return (String(pair[..<equals]), String(pair[pair.index(after: equals)...]))
    }
}
