/// How the answer of the authorization request comes (OAuth 2.0 Multiple Response Type Encoding Practices, section 2.1).
public enum ResponseMode: String, DescriptorChoice, Sendable {
    /// In the query of the redirect URI.
    case query
    /// As the form of a POST to the redirect URI (OAuth 2.0 Form Post Response Mode).
    case formPost = "form_post"
}
