import CarnetDescriptors

/// An access token at the one place where a request carries it.
struct TokenCredential {
    let token: Secret
    /// The header that holds the token.
    let header: String?
    /// What stands before the token in the header.
    private let prefix: String
    /// The query parameter that holds the token.
    let parameter: String?

    init(_ token: Secret, in placement: TokenPlacement, at provider: Provider) {
        self.token = token
        switch placement {
        case .authorization:
            (header, parameter) = ("Authorization", nil)
            prefix = provider.sendsBareToken ? "" : provider.apiScheme + " "
        case .header(let name): (header, prefix, parameter) = (name, "", nil)
        case .query(let name, _): (header, prefix, parameter) = (nil, "", name)
        }
    }

    /// The header's value, and what may be shown of it.
    var headerValue: String { prefix + token.reveal() }
    var shownHeaderValue: String { "\(prefix)\(token)" }

    /// - Throws: `OAuthError` of kind `badHeader` if a header of the descriptor or the host would stand for the token's.
    func refuseCollision(with name: String, step: OAuthError.Step) throws(OAuthError) {
        let reserved = ["authorization", header?.lowercased()]
        guard !reserved.contains(name.lowercased()) else {
            throw OAuthError(step, .badHeader, "the header \"\(name.quotable(limit: 60))\" is set by the client")
        }
    }
}
