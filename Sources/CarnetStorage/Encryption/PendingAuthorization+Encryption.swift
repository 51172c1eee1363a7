import Carnet
public import CarnetFoundation
public import CarnetProtocol

extension PendingAuthorization {
    private static let purpose = "pending sign-in"
    /// The maximum size of a cookie in browsers, less its name and attributes (RFC 6265, section 6.1).
    private static let cookieLimit = 3800
    /// The maximum size in a store, in bytes.
    private static let storeLimit = 1 << 20

    /// The sign-in as an encrypted string, for a cookie of the browser that began it. The server then stores nothing.
    ///
    /// The string is valid until the sign-in expires, and cannot be revoked. The client and the provider ensure that
    /// the callback is used once (RFC 6749, section 4.1.2).
    /// - Throws: `TokenStoreError`, `unacceptable`, if it is too long for a cookie.
    public func encrypted(with ring: KeyRing) throws -> String {
        try encrypted(
            with: ring, random: SystemRandomSource(), limit: Self.cookieLimit,
            that: "fit into a cookie: request fewer scopes, or use a pending store")
    }

    /// The sign-in as a string for a store.
    ///
    /// - Throws: `TokenStoreError`, `unacceptable`, if it is too long.
    package func encryptedForStore(with ring: KeyRing, random: any RandomSource) throws -> String {
        try encrypted(with: ring, random: random, limit: Self.storeLimit, that: "a store accepts: request fewer scopes")
    }

    private func encrypted(
        with ring: KeyRing, random: any RandomSource, limit: Int, that place: String
    ) throws -> String {
        let text = try EncryptedValue.encrypt(self, for: Self.purpose, with: ring, random: random)
        guard text.utf8.count <= limit else {
            throw TokenStoreError(
                .unacceptable,
                "the pending sign-in has \(text.utf8.count) bytes when encrypted, more than the \(limit) that \(place)")
        }
        return text
    }

    /// Decrypts the string of `encrypted(with:)`.
    ///
    /// - Returns: `nil` if it has expired.
    /// - Throws: `TokenStoreError`, `unreadable`, if it was changed, or its key is not in the ring.
    public static func decrypted(_ text: String, with ring: KeyRing, now: Date) throws -> Self? {
        let pending = try EncryptedValue.decrypt(text, as: Self.self, for: purpose, with: ring)
        return pending.expiresAt > now ? pending : nil
    }
}
