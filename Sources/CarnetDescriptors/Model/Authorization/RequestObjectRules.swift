/// Whether and how authorization requests are signed (RFC 9101).
package struct RequestObjectRules: DescriptorSection, Sendable {
    package internal(set) var use = RequestObjectUse.auto
    package internal(set) var algorithm: SignatureAlgorithm?
    package internal(set) var audience: Template?
    package internal(set) var lifetime: RequestObjectLifetime?
    package internal(set) var repeated: [String] = []

    static let shorthand: String? = "use"

    static let keys: [Key<Self>] = [
        Key("use", \.use, "when to sign; auto (default): if the metadata requires it or a sign-in asks for it"),
        Key("algorithm", \.algorithm, "the signature algorithm; default: one for the key's type"),
        Key("audience", \.audience, "the claim aud; default: the issuer"),
        Key(
            "lifetime", \.lifetime,
            "the lifetime of a request in seconds; default: the lifetime of the sign-in"),
        Key("repeat", \.repeated, "parameters that are also sent next to the signed request, with the same values"),
    ]
}

package enum RequestObjectUse: String, DescriptorChoice, Sendable {
    case auto, always, never
}

/// How many seconds a signed request may be good for: an hour at most (FAPI 2.0 Message Signing, section 5.3.1).
package struct RequestObjectLifetime: BoundedInteger, Hashable {
    static var range: ClosedRange<Int> { 1...3600 }
    package let seconds: Int

    init(_ value: Int) { seconds = value }
    var value: Int { seconds }
}
