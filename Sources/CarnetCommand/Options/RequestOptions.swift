import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// The options of an authorization request besides its scopes.
struct RequestOptions: ParsableArguments {
    @Option(
        name: .customLong("resource"),
        help: ArgumentHelp("The resource server that the token is for (RFC 8707). Repeatable.", valueName: "uri")
    )
    var resources: [String] = []

    @Option(help: ArgumentHelp("Fine-grained permissions to request, a JSON list (RFC 9396).", valueName: "json"))
    var authorizationDetails: String?

    @Option(help: ArgumentHelp("The claims to request, a JSON object with userinfo and id_token.", valueName: "json"))
    var claims: String?

    @Option(help: ArgumentHelp("The maximum age of the user's authentication, in seconds.", valueName: "seconds"))
    var maxAge: Int?

    @Option(
        name: .customLong("acr"),
        help: ArgumentHelp(
            "A preferred authentication class (acr), best first. To require one, use --claims. Repeatable.",
            valueName: "acr")
    )
    var acrValues: [String] = []

    @Option(help: ArgumentHelp("A hint about the user: an e-mail address or a user name.", valueName: "name"))
    var loginHint: String?

    @Option(
        help: "The page that the provider shows: none, login, consent, select_account, create. Repeatable.",
        completion: .list(AuthorizationOptions.Prompt.allCases.map(\.rawValue)),
        transform: prompt(named:)
    )
    var prompt: [AuthorizationOptions.Prompt] = []

    @Option(
        name: .customLong("ui-locale"),
        help: ArgumentHelp("The user's language, best first. Repeatable.", valueName: "tag")
    )
    var uiLocales: [String] = []

    @Flag(
        inversion: .prefixedNo, help: "Send the authorization request to the server before the sign-in (PAR, RFC 9126)."
    )
    var pushed: Bool?

    @Flag(inversion: .prefixedNo, help: "Sign the authorization request with the client's key (JAR, RFC 9101).")
    var signed: Bool?

    @Option(
        help: "The response mode: query, form_post, jwt, query.jwt, form_post.jwt, fragment.jwt.",
        completion: .list(ResponseMode.allCases.map(\.rawValue)),
        transform: responseMode(named:)
    )
    var responseMode: ResponseMode?

    /// - Throws: `Failure` for what is not JSON.
    func options(scopes: [String]?, lifetime: TimeInterval) throws -> AuthorizationOptions {
        AuthorizationOptions(
            scopes: scopes,
            access: AuthorizationOptions.Access(
                resource: resources,
                authorizationDetails: try authorizationDetails.map { try Self.list($0) } ?? [],
                claims: try claims.map { try Self.object($0) }
            ),
            authentication: AuthenticationRequirements(acrValues: acrValues, maxAge: maxAge),
            prompt: prompt,
            loginHint: loginHint,
            uiLocales: uiLocales,
            delivery: AuthorizationOptions.Delivery(isPushed: pushed, isSigned: signed, responseMode: responseMode),
            lifetime: lifetime
        )
    }

    private static func list(_ text: String) throws -> [JSONValue] {
        guard let list = (try? JSONValue(parsing: text))?.array else {
            throw Failure(.usage, "--authorization-details must be a JSON list of objects, each with a type")
        }
        return list
    }

    private static func object(_ text: String) throws -> JSONObject {
        guard let object = (try? JSONValue(parsing: text))?.object else {
            throw Failure(.usage, "--claims must be a JSON object with the members userinfo and id_token")
        }
        return object
    }
}

private func prompt(named name: String) throws -> AuthorizationOptions.Prompt {
    guard let prompt = AuthorizationOptions.Prompt(rawValue: name) else {
        let names = AuthorizationOptions.Prompt.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("--prompt must be one of: \(names)")
    }
    return prompt
}

private func responseMode(named name: String) throws -> ResponseMode {
    guard let mode = ResponseMode(rawValue: name) else {
        let names = ResponseMode.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("--response-mode must be one of: \(names)")
    }
    return mode
}
