/// The response mode of the authorization request (OAuth 2.0 Multiple Response Type Encoding Practices, section 2.1).
public enum ResponseMode: String, DescriptorChoice, Codable, Sendable {
    /// In the query of the redirect URI.
    case query
    /// As the form of a POST to the redirect URI (OAuth 2.0 Form Post Response Mode).
    case formPost = "form_post"
    /// As a JWT in the default place of the code, the query (JWT Secured Authorization Response Mode, section 2.3.4).
    case jwt
    /// As a JWT in the query.
    case queryJWT = "query.jwt"
    /// As a JWT in the form of a POST.
    case formPostJWT = "form_post.jwt"
    /// As a JWT in the fragment, which the browser does not send: for applications that receive the whole URL.
    case fragmentJWT = "fragment.jwt"

    /// Whether the response is a JWT that the server signs.
    package var isSigned: Bool { ![.query, .formPost].contains(self) }
    /// Whether the response comes by POST.
    package var isPosted: Bool { self == .formPost || self == .formPostJWT }
}
