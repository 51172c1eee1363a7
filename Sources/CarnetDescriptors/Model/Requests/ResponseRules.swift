package import CarnetFoundation

/// What every response-shaped section can say.
package struct ResponseRules: DescriptorSection, Sendable {
    package internal(set) var format = ResponseFormat.auto
    package internal(set) var root = JSONPointer(tokens: [])
    package internal(set) var fields = ResponseFields()
    package internal(set) var errors = ErrorFields()
    package internal(set) var defaultTokenType: String?
    package internal(set) var defaultExpiresIn: Seconds?
    package internal(set) var defaultRefreshTokenExpiresIn: Seconds?
    package internal(set) var acceptedTokenTypes: [String] = []
    package internal(set) var expiry = ExpiryRules()
    package internal(set) var scopeSeparator: String?
    package internal(set) var success = SuccessRules()
    package internal(set) var capture = NamedList<ResponseCapture>()
    package internal(set) var tokenSets = NamedList<JSONPointer>()

    package mutating func dropTokenSets() { tokenSets = NamedList() }

    /// The rules for a further token set of the response.
    package func reading(_ set: String) -> ResponseRules? {
        guard let root = tokenSets[set] else { return nil }
        var rules = self
        rules.root = root
        rules.capture = NamedList()
        return rules
    }

    static let keys: [Key<Self>] = [
        Key("format", \.format, ResponseFormat.summary),
        Key("root", \.root, "the object that contains the fields; default: the whole body"),
        Key("fields", \.fields, "standard field -> its place below root"),
        Key("success", \.success, "how to distinguish success from an error; default: status 200"),
        Key("errors", \.errors, "the places of error code and message in the whole body"),
        Key("default_token_type", \.defaultTokenType, "the token type if the response has none"),
        Key("accept_token_types", \.acceptedTokenTypes, "token types that mean Bearer, besides Bearer itself"),
        Key("default_expires_in", \.defaultExpiresIn, "the lifetime in seconds if the response has none"),
        Key(
            "default_refresh_token_expires_in", \.defaultRefreshTokenExpiresIn,
            "the lifetime of a new refresh token in seconds if the response has none; for information only"),
        Key(
            "expires", \.expiry,
            "the meaning of expires_in and refresh_token_expires_in; default: the lifetime in seconds"),
        Key("scope_separator", \.scopeSeparator, "the separator of the response's scopes; default: the request's"),
        Key("capture", \.capture, "value -> its place in the whole body; available as {token.NAME}"),
        Key(
            "token_sets", \.tokenSets,
            "name -> the object with a further token set in the response to a code, e.g. the user's tokens; it becomes a separate session"
        ),
    ]
}

package enum ResponseFormat: String, DescriptorChoice, Sendable {
    case auto
    case json
    case form
    /// JSON as the argument of a function call.
    case jsonp
    /// JSON behind a guard that makes it no script, such as `)]}'` or `&&&START&&&`.
    case guarded

    static let summary =
        "the format of the body; auto (default) is JSON, an object with any content type; guarded is JSON behind a few characters, such as )]}' or &&&START&&&"
}

/// A number of seconds, up to ten years.
package struct Seconds: BoundedInteger, Hashable {
    static var range: ClosedRange<Int> { 0...315_576_000 }
    package let count: Int

    init(_ value: Int) { count = value }
    var value: Int { count }
}

/// Where the fields of a token response are (RFC 6749, section 5.1).
package struct ResponseFields: DescriptorSection, Sendable {
    package internal(set) var accessToken = PointerList([JSONPointer(tokens: ["access_token"])])
    package internal(set) var tokenType = PointerList([JSONPointer(tokens: ["token_type"])])
    package internal(set) var expiresIn = PointerList([JSONPointer(tokens: ["expires_in"])])
    package internal(set) var refreshToken = PointerList([JSONPointer(tokens: ["refresh_token"])])
    /// The usual name, and that of the draft "OAuth 2.0 Refresh Token and Authorization Expiration".
    package internal(set) var refreshTokenExpiresIn = PointerList([
        JSONPointer(tokens: ["refresh_token_expires_in"]), JSONPointer(tokens: ["refresh_token_timeout"]),
    ])
    package internal(set) var scope = PointerList([JSONPointer(tokens: ["scope"])])
    package internal(set) var idToken = PointerList([JSONPointer(tokens: ["id_token"])])

    static let keys: [Key<Self>] = [
        Key("access_token", \.accessToken, "the place of the access token; default: /access_token"),
        Key("token_type", \.tokenType, "the token type"),
        Key("expires_in", \.expiresIn, "the lifetime in seconds"),
        Key("refresh_token", \.refreshToken, "the refresh token"),
        Key(
            "refresh_token_expires_in", \.refreshTokenExpiresIn,
            "the lifetime of the refresh token; zero means unknown; default: /refresh_token_expires_in or "
                + "/refresh_token_timeout"),
        Key("scope", \.scope, "the granted scopes"),
        Key("id_token", \.idToken, "the ID token"),
    ]

    static let all: [any WritableKeyPath<Self, PointerList> & Sendable] = [
        \.accessToken, \.tokenType, \.expiresIn, \.refreshToken, \.refreshTokenExpiresIn, \.scope, \.idToken,
    ]
}

/// Where the fields of an error response are (RFC 6749, section 5.2).
package struct ErrorFields: DescriptorSection, Sendable {
    package internal(set) var code = PointerList([JSONPointer(tokens: ["error"])])
    package internal(set) var message = PointerList([JSONPointer(tokens: ["error_description"])])
    package internal(set) var uri = PointerList([JSONPointer(tokens: ["error_uri"])])
    package internal(set) var codes = NamedList<String>()
    package internal(set) var statuses = NamedList<String>()

    package init() {}

    static let keys: [Key<Self>] = [
        Key("error", \.code, "the place of the error code; default: /error"),
        Key("error_description", \.message, "the place of the error message"),
        Key("error_uri", \.uri, "the place of a link to a page about the error"),
        Key("codes", \.codes, "the provider's error code -> that of RFC 6749, section 5.2"),
        Key(
            "statuses", \.statuses,
            "HTTP status -> the error code that it means, for responses whose body has none"),
    ]
}
