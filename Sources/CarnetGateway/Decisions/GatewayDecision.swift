package import CarnetDescriptors
package import HTTPTypes

/// What the gateway decides about a request, and why.
package struct GatewayDecision: Sendable {
    package enum Outcome: String, CaseIterable, Hashable, Sendable {
        case allowed
        /// Nobody is signed in, and somebody must be.
        case signIn = "sign_in"
        /// The sender is known, and lacks something.
        case forbidden
        /// No route has the host, the path or the method.
        case noRoute = "no_route"
        /// No program may see the request: two programs could read its path as two paths.
        case malformed
    }

    package let outcome: Outcome
    /// For logs and for the operator: one sentence without values of the sender.
    package let reason: String
    /// File and line of the route that decided.
    package let place: String?
    package let route: GatewayRoute?
    /// The sender that was decided about; `nil` for nobody.
    package let identity: GatewayIdentity?
    /// What the sender lacks for the condition that is nearest. Empty if allowed, and without a route.
    package let missing: [Missing]
    /// The identity headers, only if allowed.
    package let headers: [(name: HTTPField.Name, value: String)]
    /// Configured headers without a value here: a client's copies must not reach the program behind.
    package let absentHeaders: [HTTPField.Name]

    package var isAllowed: Bool { outcome == .allowed }

    /// What a sender lacks.
    package enum Missing: Hashable, Sendable {
        case signIn
        /// A sign-in with one of these.
        case provider([ProviderID])
        /// The account is of a tenant that no claim of these chooses.
        case tenant([String])
        /// The provider does not state that the address is the person's.
        case verifiedEmail
        /// None of these domains.
        case emailDomain([String])
        case email
        case subject
        /// None of these groups.
        case group([String])
        case client
        case claim(String)
        /// The scopes to request.
        case scopes([String])
        /// The route takes no access tokens.
        case person

        /// What a person may know, as the rest of a sentence that begins with "You need". It has no value of the file but
        /// ids of providers, which the sign-in page shows, and scopes, which a challenge has.
        ///
        /// - Parameter name: What people call a provider.
        package func phrase(_ name: (ProviderID) -> String = \.rawValue) -> String {
            switch self {
            case .signIn: "to sign in"
            case .provider(let ids): "to sign in with " + ids.map(name).joined(separator: " or ")
            case .tenant: "an account of another organization"
            case .verifiedEmail: "an account whose e-mail address is verified"
            case .emailDomain: "an account with an e-mail address of another domain"
            case .email, .subject: "another account"
            case .group: "an account in a group that yours is not in"
            case .client, .claim: "an account with other rights"
            case .scopes(let scopes): "the scopes " + scopes.joined(separator: " ")
            case .person: "to sign in with a browser"
            }
        }

        /// What an operator reads.
        var reason: String {
            switch self {
            case .signIn: "nobody is signed in"
            case .provider(let ids): "a sign-in with " + ids.map(\.rawValue).joined(separator: " or ")
            case .tenant(let claims):
                "a tenant that the operator chose: the provider's input does not fix it, and the condition has no claim "
                    + claims.joined(separator: " and ")
            case .verifiedEmail: "a verified e-mail address"
            case .emailDomain(let domains): "an e-mail address of \(Self.listed(domains, "the domain"))"
            case .email: "the e-mail address"
            case .subject: "the subject"
            case .group(let groups): Self.listed(groups, "the group")
            case .client: "the client"
            case .claim(let name): "a value of the claim \(name)"
            case .scopes(let scopes): "the scopes " + scopes.joined(separator: " ")
            case .person: "a sign-in instead of an access token"
            }
        }

        /// How many values of the file a reason has.
        private static let limit = 8

        private static func listed(_ values: [String], _ what: String) -> String {
            guard values.count > 1 else { return "\(what) \(values.first ?? "")" }
            let shown = values.prefix(limit).joined(separator: ", ") + (values.count > limit ? ", …" : "")
            return "one of \(what)s \(shown)"
        }
    }
}
