/// The authorization response (RFC 6749, section 4.1.2).
@usableFromInline
package struct CallbackRules: DescriptorSection, Sendable {
    package internal(set) var issuer = IssuerParameterRule.auto
    package internal(set) var rename = NamedList<String>()
    package internal(set) var errors = CallbackErrors()
    package internal(set) var capture = NamedList<CallbackCapture>()
    package internal(set) var verification: CallbackVerification?
    package internal(set) var jwt: SignedResponseRules?

    static let keys: [Key<Self>] = [
        Key("iss", \.issuer, "the parameter iss (RFC 9207); auto (default) requires it if the server announces it"),
        Key("rename", \.rename, "standard parameter name -> the provider's name for it"),
        Key("errors", \.errors, "the provider's error codes"),
        Key("capture", \.capture, "value -> its parameter; available as {callback.NAME}"),
        Key("verify", \.verification, "the signature of the callback, if the provider signs it"),
        Key("jwt", \.jwt, "the JWT of the callback, for a response_mode such as jwt"),
    ]
}

/// What the provider's error codes in a callback mean.
package struct CallbackErrors: DescriptorSection, Sendable {
    package internal(set) var codes = NamedList<String>()

    static let keys: [Key<Self>] = [
        Key("codes", \.codes, "the provider's error code -> that of RFC 6749, section 4.1.2.1")
    ]
}

/// The section with what the metadata adds.
@usableFromInline
@dynamicMemberLookup
package struct ResolvedCallback: Sendable {
    @usableFromInline let described: CallbackRules
    /// Whether a callback must name the issuer (RFC 9207); also set by the metadata.
    package var requiresIssuer: Bool
    package var jwt: ResolvedSignedResponse

    init(_ rules: CallbackRules) {
        described = rules
        requiresIssuer = rules.issuer == .required
        jwt = ResolvedSignedResponse(rules.jwt)
    }

    @inlinable @inline(__always)
    package subscript<Value>(dynamicMember key: KeyPath<CallbackRules, Value>) -> Value { described[keyPath: key] }
}

package enum IssuerParameterRule: String, DescriptorChoice, Sendable {
    /// Compared if it is present; required if the server's metadata announces it.
    case auto
    case required
}
