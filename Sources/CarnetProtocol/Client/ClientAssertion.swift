import CarnetDescriptors
import Crypto
import Foundation

/// Makes the JWT by which a client authenticates, or asks for a token on somebody's behalf (RFC 7523, section 3; OpenID
/// Connect Core, section 9).
struct ClientAssertion {
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    private enum Signer {
        case key(ClientKey, SignatureAlgorithm)
        case secret(Secret, AssertionAlgorithm)
    }

    private let signer: Signer
    private let registration: ClientRegistration
    private let rules: ResolvedAssertion
    /// The section of the descriptor that governs it.
    private let section: String

    /// With the client's key.
    ///
    /// - Parameters:
    ///   - rules: Those of a grant; by default those of the client's authentication.
    ///   - section: The section of the descriptor that they are from.
    /// - Throws: `OAuthError` if the key cannot sign as the descriptor or the server's metadata wants.
    init(
        _ key: ClientKey, of registration: ClientRegistration, at provider: Provider,
        rules: ResolvedAssertion? = nil, section: String = "client.assertion"
    ) throws(OAuthError) {
        let rules = rules ?? provider.assertion
        let wanted = rules.algorithm.map { [$0] } ?? rules.announcedAlgorithms
        let algorithm = try key.algorithm(
            among: wanted.map(\.rawValue), at: provider, descriptorKey: "\(section).algorithm")
        signer = .key(key, algorithm)
        self.registration = registration
        self.rules = rules
        self.section = section
    }

    /// With the client's secret.
    ///
    /// - Throws: `OAuthError` if the secret is too short for the hash (RFC 7518, section 3.2).
    init(_ secret: Secret, of registration: ClientRegistration, at provider: Provider) throws(OAuthError) {
        let rules = provider.assertion
        let algorithm = rules.algorithm ?? rules.announcedAlgorithms.first(where: \.isSymmetric) ?? .HS256
        guard JSONWebSignature.hmac([], algorithm, key: Array(secret.reveal().utf8)) != nil else {
            throw OAuthError(
                .configuration,
                .badRegistration,
                algorithm.isSymmetric
                    ? "the client secret is shorter than the hash of \(algorithm.rawValue)"
                    : "\(algorithm.rawValue) does not sign with a client secret",
                descriptorKey: "client.assertion.algorithm",
                hint: algorithm.isSymmetric ? "ask the provider for a longer one" : "client_secret_jwt takes HS256"
            )
        }
        signer = .secret(secret, algorithm)
        self.registration = registration
        self.rules = rules
        section = "client.assertion"
    }

    /// An assertion for one request; each has an id of its own, so that none is taken twice.
    ///
    /// - Parameters:
    ///   - subject: Whom it is about, if not the one that the descriptor says.
    ///   - scope: The scopes, where they are a claim.
    func make(
        for provider: Provider, about subject: String? = nil, scope: String? = nil, random: any RandomSource, now: Date
    ) throws(OAuthError) -> Secret {
        let (id, redirect) = (registration.clientID, registration.redirectURI)
        guard let audience = rules.audience(at: provider) else {
            throw OAuthError(
                .configuration,
                .badDescriptor,
                "there is neither an issuer nor a token endpoint to address the client's assertion to",
                descriptorKey: "\(section).audience"
            )
        }
        var claims = try JSONObject.claims(
            from: rules.issuer(clientID: id, redirectURI: redirect),
            about: subject ?? rules.subject(clientID: id, redirectURI: redirect), to: audience,
            lifetime: rules.lifetime, random: random, now: now)
        claims["scope"] = scope.map { .string($0) }
        for claim in rules.claims {
            guard !AssertionRules.ownClaims.contains(claim.name), claims[claim.name] == nil else {
                throw OAuthError(
                    .configuration,
                    .reservedParameter,
                    "the claim \"\(claim.name)\" would be set twice",
                    descriptorKey: "\(section).claims.\(claim.name)"
                )
            }
            claims[claim.name] = .string(claim.value)
        }
        do throws(ClientKeyError) {
            return try sign(claims)
        } catch {
            throw OAuthError(.configuration, .badRegistration, error.description)
        }
    }

    private func sign(_ claims: JSONObject) throws(ClientKeyError) -> Secret {
        switch signer {
        case .key(let key, let algorithm):
            let keyID: String? =
                switch rules.keyID {
                case .ofKey: key.id
                case .absent: nil
                case .text(let id): id
                }
            return try JSONWebSignature.sign(claims, keyID: keyID, algorithm: algorithm.rawValue) {
                input throws(ClientKeyError) in
                try key.signature(for: input, algorithm)
            }
        case .secret(let secret, let algorithm):
            return try JSONWebSignature.sign(claims, keyID: nil, algorithm: algorithm.rawValue) { input in
                JSONWebSignature.hmac(input, algorithm, key: Array(secret.reveal().utf8)) ?? []
            }
        }
    }
}
