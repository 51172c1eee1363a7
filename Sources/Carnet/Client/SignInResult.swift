import CarnetProtocol

/// What a sign-in returned, validated, before its exchange steps.
struct SignInResult: Sendable {
    let response: TokenResponse
    let idToken: IDToken?
    /// The requested scopes, which the response may leave out.
    let scopes: [String]
    /// The resource servers that the tokens are for (RFC 8707).
    let resources: [String]
    let values: ConnectionValues
    /// The private key that the tokens are bound to (RFC 9449).
    let dpopKey: Secret?
}
