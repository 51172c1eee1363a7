import CarnetDescriptors
import CarnetFoundation

/// An authorization request's parameters as a JWT that the client signs (RFC 9101, section 4).
extension RequestParameters {
    /// RFC 9101, section 10.8: the type prevents the use of another JWT of the client as a request.
    private static let signedType = "oauth-authz-req+jwt"

    /// The parameters to send instead: the JWT that contains them all, the client id, by which the server finds the
    /// key (RFC 9101, section 5), and the parameters that the descriptor repeats.
    ///
    /// - Parameter lifetime: The lifetime in seconds if the descriptor sets none.
    /// - Throws: `OAuthError` if the registration has no key for an algorithm that the provider accepts.
    func signed(
        by registration: ClientRegistration, at provider: DiscoveredProvider, goodFor lifetime: TimeInterval,
        random: any RandomSource, now: Date
    ) throws(OAuthError) -> RequestParameters {
        guard let key = registration.signingKey else {
            throw OAuthError(
                .authorization, .missingClientKey,
                "the request must be signed, and the registration has no private key",
                descriptorKey: "authorization.request_object")
        }
        let rules = provider.authorization.requestObject
        let wanted = rules.algorithm.map { [$0] } ?? rules.announcedAlgorithms
        let algorithm = try key.algorithm(
            among: wanted.map(\.rawValue), at: provider, descriptorKey: "authorization.request_object.algorithm")
        guard let audience = rules.audience ?? provider.issuer else {
            throw OAuthError(
                .authorization, .badDescriptor, "the signed request needs an audience, and the provider has no issuer",
                descriptorKey: "authorization.request_object.audience")
        }
        var claims = try JSONObject.claims(
            from: registration.clientID, to: audience,
            lifetime: rules.lifetime ?? Int(min(max(lifetime, 1), 3600)), random: random, now: now)
        claims["nbf"] = claims["iat"]
        for claim in items.typedMembers {
            guard claims[claim.name] == nil, claim.name != "sub" else {
                throw OAuthError(
                    .authorization, .reservedParameter,
                    "the parameter \"\(claim.name)\" is a claim that the signed request sets itself",
                    descriptorKey: "authorization.parameters.\(claim.name)")
            }
            claims[claim.name] = claim.value
        }
        let token: Secret
        do throws(ClientKeyError) {
            token = try key.signedToken(claims, type: Self.signedType, algorithm)
        } catch {
            throw OAuthError(.authorization, .badRegistration, error.description)
        }
        var sent = copy(for: step, kind) { item in
            item.standardName == "client_id" || rules.repeated.contains(item.standardName)
        }
        try sent.add(.request, token)
        return sent
    }
}

extension [RequestParameters.Parameter] {
    /// The parameters as members of a JSON object, with the types of their specifications: OpenID Connect Core,
    /// section 6.1; RFC 9396, section 6; RFC 8707, section 2.
    fileprivate var typedMembers: [JSONObject.Member] {
        object { item in
            switch item.standardName {
            case "max_age": .number(item.value)
            case "claims", "authorization_details": (try? JSONValue(parsing: item.value)) ?? .string(item.value)
            default: .string(item.value)
            }
        }.members
    }
}
