import CarnetCrypto
import CarnetDescriptors
package import CarnetFoundation

/// The key that the tokens of one sign-in are bound to (RFC 9449): ES256, new for each sign-in.
///
/// Its private part leaves it only as `encoded`, for stores that encrypt their records.
package struct DPoPKey: Sendable {
    let key: P256.Signing.PrivateKey

    /// A new key.
    ///
    /// - Throws: `OAuthError` if the source of randomness gives too few bytes.
    package init(random: any RandomSource) throws(OAuthError) {
        // About one of 2^32 random numbers is not a valid private key of the curve.
        for _ in 0..<4 {
            let bytes = random.bytes(count: 32)
            if bytes.count == 32, let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) {
                self.key = key
                return
            }
        }
        throw OAuthError(.configuration, .unsupported, "the random source returned no valid DPoP key")
    }

    /// A key of the client, used for every sign-in.
    ///
    /// - Throws: `OAuthError` of kind `badRegistration` for one that cannot sign with ES256.
    package init(_ key: ClientKey) throws(OAuthError) {
        guard case .p256(let material) = key.material, key.use != .encryption else {
            throw OAuthError(
                .configuration, .badRegistration, "the DPoP key cannot sign with ES256",
                descriptorKey: "client.dpop_bound_access_tokens",
                hint: "create a P-256 key: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256")
        }
        self.key = material
    }

    /// A key from a store.
    ///
    /// - Throws: `OAuthError` at step `storage`.
    package init(encoded: Secret) throws(OAuthError) {
        guard let bytes = Base64URL.decode(encoded.reveal().utf8),
            let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes)
        else { throw OAuthError(.storage, .malformedKeys, "the stored DPoP key cannot be read") }
        self.key = key
    }

    /// The private key, for the record with the tokens.
    package var encoded: Secret { Secret(Base64URL.encode(key.rawRepresentation)) }

    /// The public key (RFC 7517) with its required members only.
    package var publicJWK: JSONValue { .object(members) }

    /// The thumbprint (RFC 7638, section 3) by which servers identify the key.
    package var thumbprint: String { JSONWebKey.thumbprint(members) }

    private var members: JSONObject { ClientKey.Material.p256(key).publicMembers ?? JSONObject() }
}

extension DPoPKey: Redacted {
    package var summary: String { "DPoPKey(\(thumbprint))" }
}
