import CarnetDescriptors
import CarnetFoundation

/// The public keys of an issuer (RFC 7517, section 5).
///
/// Malformed, unknown and encryption keys are skipped (section 5), so that one odd key does not block all sign-ins.
/// Symmetric keys are never read from a public set.
package struct JSONWebKeySet: Sendable {
    let keys: [JSONWebKey]

    static let maximumCount = 100

    /// The empty set.
    package static let none = JSONWebKeySet(keys: [])

    private init(keys: [JSONWebKey]) { self.keys = keys }

    /// Validates the response of the JWKS endpoint.
    ///
    /// - Throws: `OAuthError` at step `keys`.
    package init(validating response: IncomingResponse) throws(OAuthError) {
        let key = "endpoints.jwks"
        guard response.status == 200 else {
            throw OAuthError.status(response, .keys, key: key, hiding: [])
        }
        // RFC 7517, section 8.5.2 has its own media type; servers send others.
        let body = try response.json(.keys, key: key, isLenient: true)
        guard let entries = body["keys"]?.array else {
            throw OAuthError(.keys, .malformedKeys, "the key set has no list \"keys\"", descriptorKey: key, status: 200)
        }
        guard entries.count <= Self.maximumCount else {
            throw OAuthError(
                .keys, .malformedKeys, "the key set has more than \(Self.maximumCount) keys", descriptorKey: key)
        }
        keys = entries.compactMap(JSONWebKey.init)
    }

    /// The keys that fit a signature: by id if the token names one, always by algorithm and use.
    func candidates(keyID: String?, algorithm: SignatureAlgorithm) -> [JSONWebKey] {
        keys.filter { key in
            key.canVerify(algorithm) && (keyID.map { key.id?.isSameBytes(as: $0) == true } ?? true)
        }
    }
}
