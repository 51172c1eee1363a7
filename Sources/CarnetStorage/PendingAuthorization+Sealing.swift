public import Carnet
public import CarnetProtocol
public import Foundation

extension PendingAuthorization {
    private static let purpose = "pending sign-in"
    /// What browsers keep of one cookie, with room for its name and attributes (RFC 6265, section 6.1).
    private static let cookieLimit = 3800
    /// What a store keeps of one, in bytes.
    private static let storeLimit = 1 << 20

    /// The sign-in as a text for a cookie of the browser that began it: nothing has to be stored then.
    ///
    /// What is sealed can be used until it expires and cannot be taken back: that a callback serves once is then up to
    /// the client and to the provider, whose codes serve once (RFC 6749, section 4.1.2).
    /// - Throws: `TokenStoreError`, `unacceptable`, if it is too long for a cookie.
    public func sealed(
        with ring: KeyRing,
        random: any RandomSource = SystemRandomSource()
    ) throws -> String {
        try sealed(with: ring, random: random, limit: Self.cookieLimit) {
            "a cookie takes: ask for fewer scopes, or keep it in a store"
        }
    }

    /// The sign-in as a text for a store.
    ///
    /// - Throws: `TokenStoreError`, `unacceptable`, if it is too long.
    package func sealedForStore(with ring: KeyRing, random: any RandomSource) throws -> String {
        try sealed(with: ring, random: random, limit: Self.storeLimit) { "a store keeps: ask for fewer scopes" }
    }

    private func sealed(
        with ring: KeyRing, random: any RandomSource, limit: Int, place: () -> String
    ) throws -> String {
        let text = try SealedValue.seal(self, for: Self.purpose, with: ring, random: random)
        guard text.utf8.count <= limit else {
            throw TokenStoreError(
                .unacceptable,
                "the pending sign-in has \(text.utf8.count) bytes when sealed, more than the \(limit) that \(place())"
            )
        }
        return text
    }

    /// Opens what `sealed(with:random:)` gave.
    ///
    /// - Returns: `nil` if it has expired.
    /// - Throws: `TokenStoreError`, `unreadable`, if it was changed, or the key that sealed it is not in the ring.
    public static func unsealed(_ text: String, with ring: KeyRing, now: Date) throws -> Self? {
        let pending = try SealedValue.open(text, as: Self.self, for: purpose, with: ring)
        return pending.expiresAt > now ? pending : nil
    }
}
