/// What every response-shaped section can say.
package struct ResponseRules: Sendable {
    package internal(set) var format = ResponseFormat.auto
    package internal(set) var root = JSONPointer(tokens: [])
    package internal(set) var fields = ResponseFields()
    package internal(set) var errors = ErrorFields()
    package internal(set) var defaultTokenType: String?
    package internal(set) var defaultExpiresIn: Seconds?
    package internal(set) var acceptedTokenTypes: [String] = []
    package internal(set) var expiry = ExpiryRules()
    package internal(set) var scopeSeparator: String?
    package internal(set) var success = SuccessRules()
    package internal(set) var capture = NamedList<ResponseCapture>()

    init() {}
}

extension ResponseRules: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("format", \.format, "how the body is encoded; auto follows the content type"),
        Key("root", \.root, "the object that holds the fields, if it is not the whole body"),
        Key("fields", \.fields, "where a standard field is, below root"),
        Key("success", \.success, "what tells success from an error, if it is not the status 200"),
        Key("errors", \.errors, "where an error's words are, in the whole body"),
        Key("default_token_type", \.defaultTokenType, "the token type when the response names none"),
        Key("accept_token_types", \.acceptedTokenTypes, "token types that mean Bearer here, besides Bearer itself"),
        Key("default_expires_in", \.defaultExpiresIn, "the lifetime in seconds when the response names none"),
        Key("expires", \.expiry, "what the field expires_in holds, if it is not the lifetime in seconds"),
        Key("scope_separator", \.scopeSeparator, "between the scopes of the response, if not as in the request"),
        Key("capture", \.capture, "value -> where it is in the whole body; kept as {token.NAME}"),
    ]
}

package enum ResponseFormat: String, DescriptorChoice, Sendable {
    case auto
    case json
    case form
    /// JSON as the argument of a function call.
    case jsonp
}

/// A number of seconds, up to ten years.
package struct Seconds: BoundedInteger, Hashable {
    static var range: ClosedRange<Int> { 0...315_576_000 }
    package let count: Int

    init(_ value: Int) { count = value }
}

/// Where the fields of a token response are (RFC 6749, section 5.1).
package struct ResponseFields: Sendable {
    package internal(set) var accessToken = PointerList([JSONPointer(tokens: ["access_token"])])
    package internal(set) var tokenType = PointerList([JSONPointer(tokens: ["token_type"])])
    package internal(set) var expiresIn = PointerList([JSONPointer(tokens: ["expires_in"])])
    package internal(set) var refreshToken = PointerList([JSONPointer(tokens: ["refresh_token"])])
    package internal(set) var scope = PointerList([JSONPointer(tokens: ["scope"])])
    package internal(set) var idToken = PointerList([JSONPointer(tokens: ["id_token"])])

    init() {}
}

extension ResponseFields: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("access_token", \.accessToken, "the access token; /access_token if not said"),
        Key("token_type", \.tokenType, "the token type"),
        Key("expires_in", \.expiresIn, "the lifetime in seconds"),
        Key("refresh_token", \.refreshToken, "the refresh token"),
        Key("scope", \.scope, "the granted scopes"),
        Key("id_token", \.idToken, "the ID token"),
    ]
}

/// Where the words of an error response are (RFC 6749, section 5.2).
package struct ErrorFields: Sendable {
    package internal(set) var code = PointerList([JSONPointer(tokens: ["error"])])
    package internal(set) var message = PointerList([JSONPointer(tokens: ["error_description"])])
    package internal(set) var uri = PointerList([JSONPointer(tokens: ["error_uri"])])
    package internal(set) var codes = NamedList<String>()

    package init() {}
}

extension ErrorFields: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("error", \.code, "the error code; /error if not said"),
        Key("error_description", \.message, "the sentence for people"),
        Key("error_uri", \.uri, "the page about it"),
        Key("codes", \.codes, "the provider's error code -> that of RFC 6749, section 5.2"),
    ]
}
