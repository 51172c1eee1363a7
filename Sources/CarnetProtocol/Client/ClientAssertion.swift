import CarnetDescriptors
import Crypto
import Foundation

/// Makes the JWT by which a client authenticates (RFC 7523, section 3; OpenID Connect Core, section 9).
struct ClientAssertion {
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    private enum Signer {
        case key(ClientKey, SignatureAlgorithm)
        case secret(Secret, AssertionAlgorithm)
    }

    private let signer: Signer
    private let registration: ClientRegistration

    /// With the client's key.
    ///
    /// - Throws: `OAuthError` if the key cannot sign as the descriptor or the server's metadata wants.
    init(_ key: ClientKey, of registration: ClientRegistration, at provider: Provider) throws(OAuthError) {
        let rules = provider.assertion
        let possible = key.signatureAlgorithms
        let wanted = rules.algorithm.map { [$0] } ?? rules.announcedAlgorithms
        let chosen = possible.first { algorithm in
            wanted.isEmpty || wanted.contains { $0.rawValue == algorithm.rawValue }
        }
        guard let chosen else {
            throw OAuthError(
                .configuration,
                .badRegistration,
                possible.isEmpty
                    ? "the client's key cannot sign"
                    : "the client's key can sign with \(possible.map(\.rawValue).joined(separator: ", ")), and "
                        + "\(provider.name) wants \(wanted.map(\.rawValue).joined(separator: ", "))",
                descriptorKey: "client.assertion.algorithm"
            )
        }
        signer = .key(key, chosen)
        self.registration = registration
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
    }

    /// An assertion for one request; each has an id of its own, so that none is taken twice.
    func make(for provider: Provider, random: any RandomSource, now: Date) throws(OAuthError) -> Secret {
        let rules = provider.assertion
        let (id, redirect) = (registration.clientID, registration.redirectURI)
        guard let audience = rules.audience(at: provider) else {
            throw OAuthError(
                .configuration,
                .badDescriptor,
                "there is neither an issuer nor a token endpoint to address the client's assertion to",
                descriptorKey: "client.assertion.audience"
            )
        }
        let seconds = Int(now.timeIntervalSince1970)
        var claims = JSONObject()
        claims["iss"] = .string(rules.issuer(clientID: id, redirectURI: redirect))
        claims["sub"] = .string(rules.subject(clientID: id, redirectURI: redirect))
        claims["aud"] = .string(audience)
        claims["iat"] = .number(String(seconds))
        claims["exp"] = .number(String(seconds + rules.lifetime))
        claims["jti"] = .string(try random.secret().reveal())
        for claim in rules.claims {
            guard !AssertionRules.ownClaims.contains(claim.name) else {
                throw OAuthError(
                    .configuration,
                    .reservedParameter,
                    "the claim \"\(claim.name)\" would be set twice",
                    descriptorKey: "client.assertion.claims.\(claim.name)"
                )
            }
            claims[claim.name] = .string(claim.value)
        }
        do throws(ClientKeyError) {
            return try sign(claims, rules)
        } catch {
            throw OAuthError(.configuration, .badRegistration, error.description)
        }
    }

    private func sign(_ claims: JSONObject, _ rules: ResolvedAssertion) throws(ClientKeyError) -> Secret {
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
