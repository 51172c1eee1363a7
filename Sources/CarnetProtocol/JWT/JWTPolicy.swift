import CarnetDescriptors
import CarnetFoundation

/// The rules for one type of JWT (RFC 8725, section 3.11). One validator reads all types. Each difference between
/// them is a field here. `Docs/security.md` shows the table.
package struct JWTPolicy: Sendable {
    package enum Presence: String, Sendable {
        case required
        case optional
        /// Required unless the descriptor says otherwise.
        case byDescriptor = "required unless the descriptor says otherwise"
    }

    /// The token's name in errors.
    package let name: String
    package let step: OAuthError.Step
    /// The descriptor key that controls it.
    package let key: String
    /// The descriptor key of its algorithms.
    var algorithmsKey: String { ownAlgorithmsKey ?? key }
    private var ownAlgorithmsKey: String?
    /// The accepted values of `typ`, in lower case and without `application/`.
    package private(set) var types = ["jwt"]
    /// Whether `typ` may be absent.
    package private(set) var mayLackType = true
    package let issuer: Presence
    package let audience: Presence
    package let expiry: Presence
    package let issuedAt: Presence
}

extension JWTPolicy {
    /// OpenID Connect Core, section 3.1.3.7.
    package static let idToken = JWTPolicy(
        name: "the ID token", step: .idToken, key: "id_token", ownAlgorithmsKey: "id_token.algorithms",
        issuer: .required, audience: .required, expiry: .required, issuedAt: .required)

    /// OpenID Connect Back-Channel Logout, section 2.6. Section 2.4 recommends the type; servers also send that of
    /// any JWT, or none.
    package static let logoutToken = JWTPolicy(
        name: "the logout token", step: .logout, key: "logout.missing_exp", ownAlgorithmsKey: "id_token.algorithms",
        types: ["jwt", "logout+jwt"], issuer: .required, audience: .required, expiry: .byDescriptor, issuedAt: .required
    )

    /// JWT Secured Authorization Response Mode, section 2.4.
    package static let authorizationResponse = JWTPolicy(
        name: "the signed callback", step: .callback, key: "callback.jwt", issuer: .required, audience: .required,
        expiry: .required, issuedAt: .optional)

    /// OpenID Connect Core, section 5.3.2. Some servers omit issuer and audience; the access token of the request
    /// identifies both.
    package static let userinfo = JWTPolicy(
        name: "the signed profile", step: .profile, key: "profile.jwt", issuer: .optional, audience: .optional,
        expiry: .optional, issuedAt: .optional)

    /// RFC 9701, section 5.
    package static let introspection = JWTPolicy(
        name: "the signed response", step: .introspection, key: "introspection.jwt", types: ["token-introspection+jwt"],
        mayLackType: false, issuer: .required, audience: .required, expiry: .optional, issuedAt: .optional)

    /// OpenID Connect Core, section 5.6.2: claims that another issuer signed.
    package static let aggregatedClaims = JWTPolicy(
        name: "the JWT of a claim source", step: .profile, key: "profile.sources", issuer: .required,
        audience: .optional, expiry: .optional, issuedAt: .optional)

    /// RFC 9068, section 4. A token without the type `at+jwt` needs a claim that marks it as an access token.
    package static let accessToken = JWTPolicy(
        name: "the access token", step: .accessToken, key: "access_token.marked_by", types: ["at+jwt", "jwt"],
        issuer: .required, audience: .required, expiry: .required, issuedAt: .optional)

    /// RFC 9449, section 4.3.
    package static let dpopProof = JWTPolicy(
        name: "the DPoP proof", step: .accessToken, key: "client.dpop_bound_access_tokens", types: ["dpop+jwt"],
        mayLackType: false, issuer: .optional, audience: .optional, expiry: .optional, issuedAt: .required)

    package static let all = [
        idToken, logoutToken, authorizationResponse, userinfo, introspection, aggregatedClaims, accessToken, dpopProof,
    ]
}

extension JWTPolicy {
    /// Checks the algorithm, the type and the signature.
    ///
    /// The caller chooses the algorithms; the token cannot. Either the client's secret or a public key signs, never
    /// whichever fits (RFC 8725, section 3.1).
    ///
    /// - Parameter secret: The client's secret, if only it may sign.
    /// - Returns: `nil` for HS256.
    /// - Throws: `OAuthError`; of kind `keyNotFound` if a new key set might help.
    func check(
        _ signature: JSONWebSignature, accepting algorithms: [SignatureAlgorithm], secret: Secret?, keys: JSONWebKeySet
    ) throws(OAuthError) -> SignatureAlgorithm? {
        guard let secret else {
            let algorithm = try algorithm(of: signature, among: algorithms)
            try checkType(of: signature)
            try signature.check(with: keys, algorithm, step: step, name: name)
            return algorithm
        }
        guard signature.algorithm.isSameBytes(as: "HS256") else {
            throw wrongAlgorithm(of: signature, accepting: ["HS256"])
        }
        try checkType(of: signature)
        guard signature.isValid(with: secret) else {
            throw OAuthError(step, .badSignature, "\(name) is not signed with the client's secret")
        }
        return nil
    }

    /// The algorithm of a signature by a private key.
    @discardableResult
    func algorithm(
        of signature: JSONWebSignature, among algorithms: [SignatureAlgorithm]
    ) throws(OAuthError) -> SignatureAlgorithm {
        let algorithm = algorithms.first { signature.algorithm.isSameBytes(as: $0.rawValue) }
        guard let algorithm else { throw wrongAlgorithm(of: signature, accepting: algorithms.map(\.rawValue)) }
        return algorithm
    }

    private func wrongAlgorithm(of signature: JSONWebSignature, accepting names: [String]) -> OAuthError {
        let algorithm = signature.algorithm
        let hint: String? =
            switch algorithm {
            case "none": "have the provider sign it: without a signature it proves nothing"
            case "HS256" where step == .idToken:
                "switch the client to RS256 or ES256 at the provider; or say in id_token.hs256 why its secret signs"
            case _ where SignatureAlgorithm(rawValue: algorithm) == nil:
                "switch the client to RS256 or ES256 at the provider: the algorithm is accepted from nobody"
            default: nil
            }
        return OAuthError(
            step, .unsupportedAlgorithm,
            "\(name) is signed with the algorithm \"\(signature.algorithm.quotable(limit: 20))\", not with "
                + names.joined(separator: ", "), descriptorKey: algorithmsKey, hint: hint)
    }

    func audienceMismatch(_ names: [String], in claim: String, instead own: [String]) -> OAuthError {
        let other = step == .accessToken ? "resource" : "client"
        let named = names.prefix(3).map { "\"\($0.quotable(limit: 80))\"" }.joined(separator: ", ")
        return OAuthError(
            step, .audienceMismatch,
            "\(name) is for another \(other): its \(claim) is \(named), not \"\(own.first?.quotable(limit: 80) ?? "")\""
        )
    }

    /// A token of another type must not be accepted as this type (RFC 8725, section 3.11).
    func checkType(of signature: JSONWebSignature) throws(OAuthError) {
        let isAccepted = signature.typeName.map { types.containsBytes(of: $0) } ?? mayLackType
        guard isAccepted else {
            throw OAuthError(
                step, .wrongTokenUse,
                "\(name) has the type \"\(signature.type?.quotable(limit: 40) ?? "")\", not "
                    + types.joined(separator: ", "), descriptorKey: key)
        }
    }
}
