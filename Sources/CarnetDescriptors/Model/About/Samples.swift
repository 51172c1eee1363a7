package import CarnetFoundation

/// Real responses without their secrets.
package struct Samples: DescriptorSection, Sendable {
    package internal(set) var token: JSONValue?
    package internal(set) var refresh: JSONValue?
    package internal(set) var userinfo: JSONValue?
    package internal(set) var error: JSONValue?
    package internal(set) var callback: NamedList<JSONValue>?
    package internal(set) var expect = SampleExpectations()

    package var isEmpty: Bool {
        [token, refresh, userinfo, error].allSatisfy { $0 == nil } && callback == nil
    }

    static let keys: [Key<Self>] = [
        Key("token", \.token, "the token response"),
        Key("refresh", \.refresh, "the response to a refresh"),
        Key("userinfo", \.userinfo, "the profile, or the claims of the ID token"),
        Key("error", \.error, "an error response of the token endpoint"),
        Key("callback", \.callback, "all parameters of a callback, by the provider's names"),
        Key("expect", \.expect, "the expected results of the samples"),
    ]
}

/// The values that the author expects from the samples.
package struct SampleExpectations: DescriptorSection, Sendable {
    package internal(set) var scopes: [String]?
    package internal(set) var expiresIn: Seconds?
    package internal(set) var claims = NamedList<JSONValue>()
    package internal(set) var error: String?

    static let keys: [Key<Self>] = [
        Key("scopes", \.scopes, "the scopes that the token sample grants"),
        Key("expires_in", \.expiresIn, "the expected lifetime of its access token in seconds"),
        Key("claims", \.claims, "claim -> its expected value in the profile, or null for none"),
        Key("error", \.error, "the expected error code of the error sample (RFC 6749, section 5.2)"),
    ]
}

extension JSONValue {
    /// The value with the members that another has besides, at every depth: two samples of one response.
    package func completed(with other: JSONValue) -> JSONValue {
        guard var object, let other = other.object else { return self }
        for member in other.members {
            object[member.name] = object[member.name]?.completed(with: member.value) ?? member.value
        }
        return .object(object)
    }
}
