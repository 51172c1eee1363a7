import ArgumentParser
import CarnetDescriptors
import CarnetFoundation

/// The request that `carnet resources check` decides about, and the access token that it has.
struct CheckOptions: ParsableArguments {
    @Option(parsing: .upToNextOption, help: ArgumentHelp("The scopes of the token.", valueName: "scope"))
    var scopes: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Claims of the token. A value may be JSON, such as a list.", valueName: "name=value"))
    var claims: [String] = []

    @Option(help: ArgumentHelp("The host of the request, with its port.", valueName: "host"))
    var host: String?

    @Flag(help: "The request has no token.")
    var withoutToken = false

    @Option(
        help: ArgumentHelp(
            "A YAML or JSON file of requests with expected decisions, instead of one.", valueName: "file"),
        completion: .file())
    var requests: String?

    /// The token's claims.
    ///
    /// - Throws: `ValidationError`.
    func claimObject() throws -> JSONObject {
        var object = JSONObject()
        for claim in claims {
            guard let equals = claim.utf8.firstIndex(of: UInt8(ascii: "=")), equals > claim.startIndex else {
                throw ValidationError("--claims takes NAME=VALUE, not \(claim)")
            }
            let text = String(claim[equals...].dropFirst())
            object[String(claim[..<equals])] = (try? JSONValue(parsing: text)) ?? .string(text)
        }
        return object
    }
}
