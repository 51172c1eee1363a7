import ArgumentParser
import CarnetProtocol

/// What a program says of itself: its pages, which the provider may show to users, and its id (RFC 7591, section 2).
struct ProgramOptions: ParsableArguments {
    @Option("client-uri", value: "uri", "The client's home page.")
    var home: String?

    @Option("logo-uri", value: "uri", "The client's logo.")
    var logo: String?

    @Option("policy-uri", value: "uri", "The client's privacy policy.")
    var policy: String?

    @Option("tos-uri", value: "uri", "The client's terms of service.")
    var termsOfService: String?

    @Option("software-id", value: "id", "The id of the program, the same for all of its versions.")
    var softwareID: String?

    @Option("software-version", value: "text", "The version of the program with this id.")
    var softwareVersion: String?

    var uris: [ClientMetadata.URI: String] {
        let all: [(ClientMetadata.URI, String?)] = [
            (.home, home), (.logo, logo), (.policy, policy), (.termsOfService, termsOfService),
        ]
        return all.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
}
