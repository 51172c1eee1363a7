/// How the ID token is validated (OpenID Connect Core, section 3.1.3.7).
package struct IDTokenRules: DescriptorSection, Sendable {
    /// Empty until the metadata or the default decides.
    package var algorithms: [SignatureAlgorithm] = []
    package internal(set) var clockSkew = ClockSkew(60)
    package internal(set) var coerce: [CoercedClaim] = []
    package internal(set) var hs256: String?
    package internal(set) var encryption: TokenEncryption?
    package internal(set) var otherAudiences: [String] = []
    package internal(set) var none: String?

    static let keys: [Key<Self>] = [
        Key("algorithms", \.algorithms, "the accepted signature algorithms; default: the announced ones, else RS256"),
        Key(
            "hs256", \.hs256,
            "the reason why ID tokens are signed with the client's secret (HS256); then no other signature is accepted"),
        Key("coerce", \.coerce, "claims that may be a number instead of a string, or a string instead of a time"),
        Key("encryption", \.encryption, "the encryption of ID tokens for the client; default: none"),
        Key(
            "other_audiences", \.otherAudiences,
            "further audiences that an ID token may have even if no azp names the client"),
        Key(
            "none", \.none,
            "the reason why ID tokens are dropped unread; they then identify nobody, and the profile comes from userinfo"
        ),
        Key("clock_skew", \.clockSkew, "the tolerated difference between the clocks, in seconds; default: 60"),
    ]
}

/// The asymmetric signature algorithms, by their registered names (RFC 7518, section 3.1; RFC 8037, section 3.1).
// swift-format-ignore: AlwaysUseLowerCamelCase
package enum SignatureAlgorithm: String, DescriptorChoice, Sendable {
    case RS256, RS384, RS512
    case PS256, PS384, PS512
    case ES256, ES384, ES512
    case EdDSA
}

/// A tolerated difference of clocks in seconds.
package struct ClockSkew: BoundedInteger, Hashable {
    static var range: ClosedRange<Int> { 0...300 }
    package let seconds: Int

    init(_ value: Int) { seconds = value }
    var value: Int { seconds }
}
