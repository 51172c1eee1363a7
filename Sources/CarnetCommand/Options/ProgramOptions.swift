import ArgumentParser
import CarnetProtocol

/// What a program says of itself: its pages, which the provider may show to users, and its id (RFC 7591, section 2).
struct ProgramOptions: ParsableArguments {
    @Option(name: .customLong("client-uri"), help: ArgumentHelp("The client's home page.", valueName: "uri"))
    var home: String?

    @Option(name: .customLong("logo-uri"), help: ArgumentHelp("The client's logo.", valueName: "uri"))
    var logo: String?

    @Option(name: .customLong("policy-uri"), help: ArgumentHelp("The client's privacy policy.", valueName: "uri"))
    var policy: String?

    @Option(name: .customLong("tos-uri"), help: ArgumentHelp("The client's terms of service.", valueName: "uri"))
    var termsOfService: String?

    @Option(
        name: .customLong("software-id"),
        help: ArgumentHelp("The id of the program, the same for all of its versions.", valueName: "id"))
    var softwareID: String?

    @Option(
        name: .customLong("software-version"),
        help: ArgumentHelp("The version of the program with this id.", valueName: "text"))
    var softwareVersion: String?

    var uris: [ClientMetadata.URI: String] {
        let all: [(ClientMetadata.URI, String?)] = [
            (.home, home), (.logo, logo), (.policy, policy), (.termsOfService, termsOfService),
        ]
        return all.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
}
