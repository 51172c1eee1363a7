/// Whether and how authorization requests are signed (RFC 9101).
package struct RequestObjectRules: Sendable {
    package internal(set) var use = RequestObjectUse.auto
    package internal(set) var algorithm: SignatureAlgorithm?
    package internal(set) var audience: Template?
    package internal(set) var lifetime: RequestObjectLifetime?
    package internal(set) var repeated: [String] = []

    init() {}
}

extension RequestObjectRules: DescriptorSection {
    static let shorthand: String? = "use"

    static let keys: [Key<Self>] = [
        Key("use", \.use, "auto signs where the metadata demands it; a sign-in may ask for it"),
        Key("algorithm", \.algorithm, "the signature algorithm; by default one that fits the key"),
        Key("audience", \.audience, "the claim aud; the issuer if not said"),
        Key(
            "lifetime", \.lifetime,
            "how many seconds a request is good for; as long as the sign-in may take if not said"),
        Key("repeat", \.repeated, "parameters that go beside the signed request as well, with the same values"),
    ]
}

package enum RequestObjectUse: String, DescriptorChoice, Sendable {
    case auto
    case always
    case never
}

/// How many seconds a signed request may be good for: an hour at most (FAPI 2.0 Message Signing, section 5.3.1).
package struct RequestObjectLifetime: BoundedInteger, Hashable {
    static var range: ClosedRange<Int> { 1...3600 }
    package let seconds: Int

    init(_ value: Int) { seconds = value }
}
