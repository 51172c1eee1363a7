import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// The options of an authorization request besides its scopes.
struct RequestOptions: ParsableArguments {
    @Option("resource", value: "uri", "The resource server that the token is for (RFC 8707). Repeatable.")
    var resources: [String] = []

    @Option(value: "json", "Fine-grained permissions to request, a JSON list (RFC 9396).")
    var authorizationDetails: String?

    @Option(value: "json", "The claims to request, a JSON object with userinfo and id_token.") var claims: String?

    @Option(value: "seconds", "The maximum age of the user's authentication, in seconds.") var maxAge: Int?

    @Option(
        "acr", value: "acr",
        "A preferred authentication class (acr), best first. To require one, use --claims. Repeatable.")
    var acrValues: [String] = []

    @Option(value: "name", "A hint about the user: an e-mail address or a user name.") var loginHint: String?

    @Option(
        help: "The page that the provider shows: none, login, consent, select_account, create. Repeatable.",
        completion: .list(AuthorizationOptions.Prompt.allCases.map(\.rawValue)),
        transform: name(of: "--prompt")
    )
    var prompt: [AuthorizationOptions.Prompt] = []

    @Option("ui-locale", value: "tag", "The user's language, best first. Repeatable.") var uiLocales: [String] = []

    @Option("parameter", value: "name=value", "A further parameter of the request. Repeatable.")
    var parameters: [String] = []

    @Flag(
        inversion: .prefixedNo, help: "Send the authorization request to the server before the sign-in (PAR, RFC 9126)."
    )
    var pushed: Bool?

    @Flag(inversion: .prefixedNo, help: "Sign the authorization request with the client's key (JAR, RFC 9101).")
    var signed: Bool?

    @Option(
        help: "The response mode: query, form_post, jwt, query.jwt, form_post.jwt, fragment.jwt.",
        completion: .list(ResponseMode.allCases.map(\.rawValue)),
        transform: name(of: "--response-mode")
    )
    var responseMode: ResponseMode?

    /// The options for the authorization page. The resources are those of the tokens.
    var ofPage: [(String, Bool)] {
        [
            ("--authorization-details", authorizationDetails != nil), ("--claims", claims != nil),
            ("--max-age", maxAge != nil), ("--acr", !acrValues.isEmpty), ("--login-hint", loginHint != nil),
            ("--prompt", !prompt.isEmpty), ("--ui-locale", !uiLocales.isEmpty), ("--parameter", !parameters.isEmpty),
            ("--pushed", pushed == true), ("--no-pushed", pushed == false), ("--signed", signed == true),
            ("--no-signed", signed == false), ("--response-mode", responseMode != nil),
        ]
    }

    func validate() throws {
        if parameters.contains(where: { InputOptions.split($0) == nil }) {
            throw ValidationError("--parameter must be NAME=VALUE, e.g. --parameter account_id=123")
        }
    }

    /// - Throws: `Failure` for what is not JSON.
    func options(scopes: [String]?, lifetime: TimeInterval) throws -> AuthorizationOptions {
        AuthorizationOptions(
            scopes: scopes,
            access: AuthorizationOptions.Access(
                resource: resources,
                authorizationDetails: try read(
                    authorizationDetails, \.array,
                    "--authorization-details must be a JSON list of objects, each with a type") ?? [],
                claims: try read(
                    claims, \.object, "--claims must be a JSON object with the members userinfo and id_token")),
            authentication: AuthenticationRequirements(acrValues: acrValues, maxAge: maxAge),
            prompt: prompt, loginHint: loginHint, uiLocales: uiLocales,
            delivery: AuthorizationOptions.Delivery(isPushed: pushed, isSigned: signed, responseMode: responseMode),
            parameters: Dictionary(parameters.compactMap(InputOptions.split)) { $1 },
            lifetime: lifetime)
    }

    private func read<Value>(_ text: String?, _ kind: (JSONValue) -> Value?, _ rule: String) throws -> Value? {
        guard let text else { return nil }
        guard let value = (try? JSONValue(parsing: text)).flatMap(kind) else { throw Failure(.usage, rule) }
        return value
    }
}
