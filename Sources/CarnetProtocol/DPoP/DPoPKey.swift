package import CarnetDescriptors
import Crypto
import Foundation

/// The key that the tokens of one sign-in are bound to (RFC 9449): ES256, new for each sign-in.
///
/// Its private half leaves it only as `sealed`, for stores that seal what they write.
package struct DPoPKey: Sendable {
    let key: P256.Signing.PrivateKey

    /// A new key.
    ///
    /// - Throws: `OAuthError` if the source of randomness gives too few bytes.
    package init(random: any RandomSource) throws(OAuthError) {
        // One number in four billion is no private key of the curve.
        for _ in 0..<4 {
            let bytes = random.bytes(count: 32)
            if bytes.count == 32, let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) {
                self.key = key
                return
            }
        }
        throw OAuthError(.configuration, .unsupported, "the source of randomness gives no key for DPoP")
    }

    /// A key of the client's own, used for every sign-in.
    ///
    /// - Throws: `OAuthError` of kind `badRegistration` for one that cannot sign with ES256.
    package init(_ key: ClientKey) throws(OAuthError) {
        guard case .p256(let material) = key.material, key.use != .encryption else {
            throw OAuthError(
                .configuration,
                .badRegistration,
                "the key for DPoP cannot sign with ES256",
                descriptorKey: "client.dpop_bound_access_tokens",
                hint: "give one on P-256: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256"
            )
        }
        self.key = material
    }

    /// A key that was kept.
    ///
    /// - Throws: `OAuthError` at step `storage`.
    package init(sealed: Secret) throws(OAuthError) {
        guard let bytes = Base64URL.decode(sealed.reveal().utf8),
            let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes)
        else {
            throw OAuthError(.storage, .malformedKeys, "the stored DPoP key cannot be read", hint: "sign in again")
        }
        self.key = key
    }

    /// The private key, to be kept with the tokens.
    package var sealed: Secret { Secret(Base64URL.encode(key.rawRepresentation)) }

    /// The public key (RFC 7517): just the members that it must have.
    package var publicJWK: JSONValue {
        .object(members.reduce(into: JSONObject()) { $0[$1.name] = .string($1.value) })
    }

    /// The thumbprint (RFC 7638, section 3), by which servers know the key.
    package var thumbprint: String { JSONWebKey.thumbprint(members) }

    /// In the order of their names.
    private var members: [(name: String, value: String)] {
        let raw = key.publicKey.rawRepresentation
        return [
            ("crv", "P-256"), ("kty", "EC"), ("x", Base64URL.encode(raw.prefix(32))),
            ("y", Base64URL.encode(raw.suffix(32))),
        ]
    }
}

extension DPoPKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "DPoPKey(\(thumbprint))" }
    package var customMirror: Mirror { Mirror(self, children: ["thumbprint": thumbprint]) }
}
