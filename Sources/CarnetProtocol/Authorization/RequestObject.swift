import CarnetDescriptors
import Foundation

/// An authorization request's parameters as a JWT that the client signs (RFC 9101, section 4).
struct RequestObject {
    /// RFC 9101, section 10.8: no other JWT of the client can be taken for a request.
    static let type = "oauth-authz-req+jwt"

    private let key: ClientKey
    private let algorithm: SignatureAlgorithm
    private let provider: Provider
    private let clientID: String

    /// - Throws: `OAuthError` if the registration has no key that signs as the provider wants.
    init(_ registration: ClientRegistration, at provider: Provider) throws(OAuthError) {
        guard let key = registration.signingKey else {
            throw OAuthError(
                .authorization,
                .missingClientKey,
                "the request is to be signed, and the registration has no key",
                descriptorKey: "authorization.request_object"
            )
        }
        let rules = provider.requestObject
        let wanted = rules.algorithm.map { [$0] } ?? rules.announcedAlgorithms
        algorithm = try key.algorithm(
            among: wanted.map(\.rawValue), at: provider, descriptorKey: "authorization.request_object.algorithm")
        self.key = key
        self.provider = provider
        clientID = registration.clientID
    }

    /// What is sent in the place of the parameters: the JWT with all of them, the client's id, which the server needs to
    /// find the key (RFC 9101, section 5), and what the descriptor repeats.
    ///
    /// - Parameter lifetime: In seconds, where the descriptor says none: a person may open the page late.
    func replacing(
        _ parameters: RequestParameters, goodFor lifetime: TimeInterval, random: any RandomSource, now: Date
    ) throws(OAuthError) -> RequestParameters {
        let rules = provider.requestObject
        guard let audience = rules.audience ?? provider.issuer else {
            throw OAuthError(
                .authorization,
                .badDescriptor,
                "there is no issuer to address the signed request to",
                descriptorKey: "authorization.request_object.audience"
            )
        }
        var claims = try JSONObject.claims(
            from: clientID, to: audience, lifetime: rules.lifetime ?? Int(min(max(lifetime, 1), 3600)), random: random,
            now: now)
        claims["nbf"] = claims["iat"]
        for claim in parameters.items.typedMembers {
            guard claims[claim.name] == nil, claim.name != "sub" else {
                throw OAuthError(
                    .authorization,
                    .reservedParameter,
                    "the parameter \"\(claim.name)\" would be a claim of the signed request itself",
                    descriptorKey: "authorization.parameters.\(claim.name)"
                )
            }
            claims[claim.name] = claim.value
        }
        let token: Secret
        do throws(ClientKeyError) {
            token = try JSONWebSignature.sign(
                claims, type: Self.type, keyID: key.id, algorithm: algorithm.rawValue
            ) { input throws(ClientKeyError) in try key.signature(for: input, algorithm) }
        } catch {
            throw OAuthError(.authorization, .badRegistration, error.description)
        }
        var sent = parameters.copy(for: parameters.step, parameters.kind) { item in
            item.standardName == "client_id" || rules.repeated.contains(item.standardName)
        }
        try sent.add(.request, token)
        return sent
    }
}

extension [RequestParameters.Parameter] {
    /// The parameters as members of a JSON object, in the types that their specifications give them: OpenID Connect Core,
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
