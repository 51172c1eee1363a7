/// How the answer of the authorization request comes (OAuth 2.0 Multiple Response Type Encoding Practices, section 2.1).
public enum ResponseMode: String, DescriptorChoice, Codable, Sendable {
    /// In the query of the redirect URI.
    case query
    /// As the form of a POST to the redirect URI (OAuth 2.0 Form Post Response Mode).
    case formPost = "form_post"
    /// As a JWT in the query, which is where the code comes (JWT Secured Authorization Response Mode, section 2.3.4).
    case jwt
    /// The same, said in full.
    case queryJWT = "query.jwt"
    /// As a JWT in the form of a POST.
    case formPostJWT = "form_post.jwt"
    /// As a JWT in the fragment, which the browser keeps to itself: for applications that get the whole URL.
    case fragmentJWT = "fragment.jwt"

    /// Whether the answer is a JWT that the server signs.
    package var isSigned: Bool { ![.query, .formPost].contains(self) }
    /// Whether the answer comes by POST.
    package var isPosted: Bool { self == .formPost || self == .formPostJWT }
}
