public import Carnet
public import CarnetProtocol
public import Foundation

extension PendingAuthorization {
    private static let purpose = "pending sign-in"
    /// What browsers keep of one cookie, with room for its name and attributes (RFC 6265, section 6.1).
    private static let cookieLimit = 3800

    /// The sign-in as a text for a cookie of the browser that began it: nothing has to be stored then.
    ///
    /// What is sealed can be used until it expires and cannot be taken back: that a callback serves once is then up to
    /// the client and to the provider, whose codes serve once (RFC 6749, section 4.1.2).
    /// - Throws: `TokenStoreError`, `unacceptable`, if it is too long for a cookie.
    public func sealed(
        with ring: KeyRing,
        random: any RandomSource = SystemRandomSource()
    ) throws -> String {
        let text = try SealedValue.seal(self, for: Self.purpose, with: ring, random: random)
        guard text.utf8.count <= Self.cookieLimit else {
            throw TokenStoreError(
                .unacceptable,
                "the pending sign-in has \(text.utf8.count) bytes when sealed, more than the \(Self.cookieLimit) that "
                    + "a cookie takes: ask for fewer scopes, or keep it in a store"
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
