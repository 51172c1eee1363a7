package import CarnetFoundation

/// The rules of client assertions with everything filled in.
package struct ResolvedAssertion: Sendable {
    package let algorithm: AssertionAlgorithm?
    /// The algorithms that the server's metadata announces; empty if it names none.
    package var announcedAlgorithms: [AssertionAlgorithm] = []
    private let audience: String?
    private let issuer: String?
    private let subject: String?
    /// In seconds.
    package let lifetime: Int
    package let keyID: KeyID
    package let claims: [Named<String>]
    package let sendAs: AssertionParameter

    /// The key id in the header.
    package enum KeyID: Hashable, Sendable {
        case ofKey
        case absent
        case text(String)
    }
}

extension ResolvedAssertion {
    init(_ rules: AssertionRules, _ resolver: InputResolver, key: String = "client.assertion") throws(ResolutionError) {
        func fill(_ template: Template?, _ name: String) throws(ResolutionError) -> String? {
            guard let template else { return nil }
            return try resolver.fill(template, key: "\(key).\(name)")
        }
        algorithm = rules.algorithm
        audience = try fill(rules.audience, "audience")
        issuer = try fill(rules.issuer, "issuer")
        subject = try fill(rules.subject, "subject")
        lifetime = rules.lifetime?.seconds ?? 60
        keyID =
            switch try fill(rules.keyID, "key_id") {
            case nil: .ofKey
            case "none": .absent
            case let text?: .text(text)
            }
        claims = try resolver.named(rules.claims, key: "\(key).claims")
        sendAs = rules.sendAs
    }

    /// The claim `aud`: one text, never a list, so that no other server can take the assertion for one of its own.
    ///
    /// - Returns: `nil` if the provider has neither an issuer nor a token endpoint.
    package func audience(issuer: String?, tokenEndpoint: WebURL?) -> String? {
        switch audience {
        case nil: issuer ?? tokenEndpoint?.text
        case "issuer": issuer
        case "token_endpoint": tokenEndpoint?.text
        case let text?: text
        }
    }

    package func issuer(clientID: String, redirectURI: String) -> String {
        Self.party(issuer, clientID, redirectURI)
    }

    package func subject(clientID: String, redirectURI: String) -> String {
        Self.party(subject, clientID, redirectURI)
    }

    private static func party(_ name: String?, _ clientID: String, _ redirectURI: String) -> String {
        switch name {
        case nil, "client_id": clientID
        case "redirect_host": (try? WebURL(redirectURI))?.host ?? clientID
        case let text?: text
        }
    }
}
