/// Where a value of a template comes from.
package enum TemplateOrigin: String, CaseIterable, Hashable, Sendable {
    /// The registration's inputs.
    case input
    /// The registration itself: `id`, `secret`, `redirect_uri`, and `scope`, the scopes that it requests.
    case client
    /// The callback: `code`, `state`, and the values of `callback.capture`.
    case callback
    /// The token response: `access_token`, `refresh_token`, `id_token`, the granted `scope`, and the values of
    /// `token.response.capture`.
    case token
    /// The values of the steps in `exchange`.
    case step
    /// The values of lookups and derivations in `connection`.
    case connection
    /// The claims of the profile, as `profile.claims` and `profile.requests` read them.
    case claim
    /// The request itself: `body`, and the parameters that its standard defines, also those that `omit` names.
    case request

    /// The names that need no declaration.
    package var builtInNames: [String] {
        switch self {
        case .client: ["id", "secret", "redirect_uri", "scope"]
        case .callback: ["code", "state"]
        case .token: ["access_token", "refresh_token", "id_token", "scope"]
        case .request: ["body"]
        case .input, .step, .connection, .claim: []
        }
    }
}

/// One value by its origin and name, e.g. `token.instance_url`.
package struct TemplateReference: Hashable, Sendable, CustomStringConvertible {
    package let origin: TemplateOrigin
    package let name: String

    package init(_ origin: TemplateOrigin, _ name: String) {
        self.origin = origin
        self.name = name
    }

    package static let clientID = TemplateReference(.client, "id")

    package var description: String { "\(origin.rawValue).\(name)" }

    /// Whether the value is always secret, even if a descriptor does not say so.
    package var isAlwaysSecret: Bool {
        switch origin {
        case .client: name == "secret"
        case .callback: name == "code" || name == "state"
        case .token: name != "scope" && origin.builtInNames.contains(name)
        case .request: StandardParameter(rawValue: name)?.isSecret ?? true
        case .input, .step, .connection, .claim: false
        }
    }
}

/// What a template may use, which depends on the key that it stands at: a value is there or not yet.
package struct TemplatePlace: Hashable, Sendable {
    package let origins: [TemplateOrigin]
    /// Whether the text goes into a URL, where no secret belongs.
    package let isURL: Bool
    /// Whether the inputs are all that there is, in their defaults also the client id.
    package let isConfiguration: Bool
    /// Whether the account's tokens may be in the URL all the same.
    let allowsTokens: Bool

    private init(
        _ origins: [TemplateOrigin], isURL: Bool = false, isConfiguration: Bool = false, allowsTokens: Bool = false
    ) {
        (self.origins, self.isURL, self.allowsTokens) = (origins, isURL, allowsTokens)
        self.isConfiguration = isConfiguration
    }

    /// Filled once, when the registration is known.
    package static let configuration = TemplatePlace([.input], isConfiguration: true)
    package static let inputDefault = TemplatePlace([.input, .client], isConfiguration: true)
    /// Anywhere: for readers that only look.
    package static let anywhere = TemplatePlace(TemplateOrigin.allCases)
    package static let authorization = TemplatePlace([.input, .client], isURL: true)
    /// A request for the client itself, which no callback precedes.
    package static let clientRequest = TemplatePlace([.input, .client])
    /// The URL of a request that no callback precedes.
    package static let clientURL = TemplatePlace([.input, .client], isURL: true)
    package static let tokenURL = TemplatePlace([.input, .client, .callback], isURL: true)
    package static let tokenRequest = TemplatePlace([.input, .client, .callback])
    package static let exchange = TemplatePlace([.input, .client, .callback, .token, .step])
    package static let exchangeURL = TemplatePlace([.input, .client, .callback, .token, .step], isURL: true)
    package static let signedIn = TemplatePlace([.input, .client, .callback, .token, .step, .connection])
    package static let signedInURL = TemplatePlace(
        [.input, .client, .callback, .token, .step, .connection], isURL: true)
    /// A claim of the profile, which is shown.
    package static let claim = TemplatePlace(
        [.input, .client, .callback, .token, .step, .connection, .claim], isURL: true)

    /// A further request of the profile, which may name the user as earlier responses do.
    package static let furtherRequest = TemplatePlace(signedIn.origins + [.claim])
    package static let furtherURL = TemplatePlace(signedIn.origins + [.claim], isURL: true)

    /// Some servers have the token to revoke in the path.
    package static let revocationURL = TemplatePlace(
        [.input, .client, .callback, .token, .step, .connection], isURL: true, allowsTokens: true)

    /// The same for a header, which may sign the body, or have a parameter in it.
    package var signing: TemplatePlace { TemplatePlace(origins + [.request]) }

    /// The names of an origin that need no declaration.
    func builtInNames(of origin: TemplateOrigin) -> [String] {
        isConfiguration && origin == .client ? [TemplateReference.clientID.name] : origin.builtInNames
    }

    /// What a template at this place may use, for messages.
    var available: String {
        let values = origins.flatMap { origin in
            builtInNames(of: origin).filter { !isURL || allowsTokens || !TemplateReference(origin, $0).isAlwaysSecret }
                .map { "{\(origin.rawValue).\($0)}" }
                + (origin.keyOfNames.map { ["{\(origin.rawValue).NAME} of \($0)"] } ?? [])
        }
        return "available here: " + (["{NAME} of inputs"] + values).joined(separator: ", ")
    }
}

extension TemplateOrigin {
    /// The key that declares further names.
    fileprivate var keyOfNames: String? {
        switch self {
        case .callback: "callback.capture"
        case .token: "token.response.capture"
        case .step: "exchange"
        case .connection: "connection"
        case .claim: "profile.claims"
        case .request: "the request's standard parameters"
        case .input, .client: nil
        }
    }
}
