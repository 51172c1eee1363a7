import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

/// Builds the JWT with which a client authenticates, or requests a token on behalf of a user (RFC 7523, section 3;
/// OpenID Connect Core, section 9).
struct ClientAssertion {
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// `nil` if the client's secret signs.
    private let key: ClientKey?
    private let algorithm: String
    private let signature: @Sendable ([UInt8]) throws(ClientKeyError) -> [UInt8]
    private let registration: ClientRegistration
    private let rules: ResolvedAssertion
    /// The section of the descriptor that controls it.
    private let section: String

    /// With the client's key.
    ///
    /// - Parameters:
    ///   - rules: The rules of a grant; by default those of client authentication.
    ///   - section: The section of the descriptor that contains the rules.
    /// - Throws: `OAuthError` if the key has no algorithm that the descriptor or the server's metadata accepts.
    init(
        _ key: ClientKey, of registration: ClientRegistration, at provider: some DiscoveredStage,
        rules: ResolvedAssertion? = nil, section: String = "client.assertion"
    ) throws(OAuthError) {
        let rules = rules ?? provider.client.assertion
        let wanted = rules.algorithm.map { [$0] } ?? rules.announcedAlgorithms
        let algorithm = try key.algorithm(
            among: wanted.map(\.rawValue), at: provider, descriptorKey: "\(section).algorithm")
        (self.key, self.algorithm) = (key, algorithm.rawValue)
        signature = { input throws(ClientKeyError) in try key.signature(for: input, algorithm) }
        self.registration = registration
        self.rules = rules
        self.section = section
    }

    /// With the client's secret.
    ///
    /// - Throws: `OAuthError` if the secret is too short for the hash (RFC 7518, section 3.2).
    init(_ secret: Secret, of registration: ClientRegistration, at provider: some DiscoveredStage) throws(OAuthError) {
        let rules = provider.client.assertion
        let algorithm = rules.algorithm ?? rules.announcedAlgorithms.first(where: \.isSymmetric) ?? .HS256
        guard JSONWebSignature.hmac([], algorithm, key: Array(secret.reveal().utf8)) != nil else {
            throw OAuthError(
                .configuration, .badRegistration,
                algorithm.isSymmetric
                    ? "the client secret is too short for \(algorithm.rawValue)"
                    : "\(algorithm.rawValue) is not an algorithm for a client secret",
                descriptorKey: "client.assertion.algorithm",
                hint: algorithm.isSymmetric ? "ask the provider for a longer secret" : "client_secret_jwt uses HS256")
        }
        (key, self.algorithm) = (nil, algorithm.rawValue)
        signature = { JSONWebSignature.hmac($0, algorithm, key: Array(secret.reveal().utf8)) ?? [] }
        self.registration = registration
        self.rules = rules
        section = "client.assertion"
    }

    /// An assertion for one request. Each has its own id, so that a server can reject a replay.
    ///
    /// - Parameters:
    ///   - subject: The subject, if it differs from the descriptor's.
    ///   - scope: The scopes, if they are a claim.
    func make(
        for provider: some DiscoveredStage, about subject: String? = nil, scope: String? = nil,
        random: any RandomSource, now: Date
    ) throws(OAuthError) -> Secret {
        let (id, redirect) = (registration.clientID, registration.redirectURI)
        guard let audience = rules.audience(issuer: provider.issuer, tokenEndpoint: provider.endpoints[.token]) else {
            throw OAuthError(
                .configuration, .badDescriptor,
                "the client's assertion needs an audience, and the provider has neither an issuer nor a token endpoint",
                descriptorKey: "\(section).audience")
        }
        var claims = try JSONObject.claims(
            from: rules.issuer(clientID: id, redirectURI: redirect),
            about: subject ?? rules.subject(clientID: id, redirectURI: redirect), to: audience,
            lifetime: rules.lifetime, random: random, now: now)
        claims["scope"] = scope.map { .string($0) }
        for claim in rules.claims {
            guard !AssertionRules.ownClaims.contains(claim.name), claims[claim.name] == nil else {
                throw OAuthError(
                    .configuration, .reservedParameter, "the claim \"\(claim.name)\" is set twice",
                    descriptorKey: "\(section).claims.\(claim.name)")
            }
            claims[claim.name] = .string(claim.value)
        }
        let keyID: String? =
            switch rules.keyID {
            case .ofKey: key?.id
            case .text(let id) where key != nil: id
            case .absent, .text: nil
            }
        do throws(ClientKeyError) {
            return try JSONWebSignature.sign(
                claims, keyID: keyID, certificate: key.flatMap { registration.certificate?.thumbprint(ofKey: $0) },
                algorithm: algorithm, with: signature)
        } catch {
            throw OAuthError(.configuration, .badRegistration, error.description)
        }
    }
}
