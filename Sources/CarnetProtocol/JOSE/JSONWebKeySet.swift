import CarnetDescriptors
import CarnetFoundation

/// The public keys of an issuer (RFC 7517, section 5).
///
/// Malformed, unknown and encryption keys are skipped (section 5), so that one odd key does not block all sign-ins.
/// Symmetric keys are never read from a public set.
package struct JSONWebKeySet: Sendable {
    let keys: [JSONWebKey]
    /// For messages: each entry that is no usable key, and why.
    private let dropped: [String]

    static let maximumCount = 100

    /// The empty set.
    package static let none = JSONWebKeySet(keys: [])

    private init(keys: [JSONWebKey]) { (self.keys, dropped) = (keys, []) }

    /// Validates the response of the JWKS endpoint.
    ///
    /// - Throws: `OAuthError` at step `keys`.
    package init(validating response: IncomingResponse) throws(OAuthError) {
        let key = "endpoints.jwks"
        try response.requireSuccess(.keys, key: key, hiding: [])
        // RFC 7517, section 8.5.2 has its own media type; servers send others.
        let body = try response.json(.keys, key: key, isLenient: true)
        guard let entries = body["keys"]?.array else {
            throw OAuthError(
                .keys, .malformedKeys,
                "the key set has no list \"keys\""
                    + (response.request.map { response.told(instead: body, to: $0) } ?? ""), descriptorKey: key,
                status: 200)
        }
        guard entries.count <= Self.maximumCount else {
            throw OAuthError(
                .keys, .malformedKeys, "the key set has more than \(Self.maximumCount) keys", descriptorKey: key)
        }
        var (keys, dropped): ([JSONWebKey], [String]) = ([], [])
        for entry in entries {
            do throws(JSONWebKey.Unusable) {
                keys.append(try JSONWebKey(entry))
            } catch {
                let id = entry[stated: "kid"]?.scalarText.map { "\"\($0.quotable(limit: 40))\"" }
                dropped.append("the key \(id ?? "without a kid") is not used: \(error.reason)")
            }
        }
        (self.keys, self.dropped) = (keys, dropped)
    }

    /// What the set has, for a token that none of its keys fits.
    var shown: String {
        let usable = keys.prefix(5).map(\.shown)
        let has = usable.isEmpty ? "the key set has no usable key" : "the key set has \(usable.joined(separator: ", "))"
        return ([has] + dropped.prefix(5)).joined(separator: "; ")
    }

    /// The keys that fit a signature: by id if the token names one, always by algorithm and use. The only key of the type may
    /// have no id: the set is the provider's own, so the token gains nothing by the id that it names.
    func candidates(keyID: String?, algorithm: SignatureAlgorithm) -> [JSONWebKey] {
        let fitting = keys.filter { $0.canVerify(algorithm) }
        guard let keyID else { return fitting }
        let named = fitting.filter { $0.id?.isSameBytes(as: keyID) == true }
        return named.isEmpty && fitting.count == 1 ? fitting.filter { $0.id == nil } : named
    }
}
