/// The authorization response as it arrived with the user's browser. Nothing in it is trusted yet.
public struct AuthorizationCallback: Sendable {
    /// The redirect URI part: everything before `?` and `#`.
    package let location: String
    /// The query, or the form body of a POST, still encoded.
    let encodedParameters: String
    /// The fragment. Only an application that receives the whole URL gets it.
    let encodedFragment: String
    /// Whether it came by POST.
    let isPosted: Bool

    /// A callback by GET.
    ///
    /// - Parameter url: The whole callback URL.
    public init(url: String) {
        let beforeFragment = url.utf8.prefix { $0 != UInt8(ascii: "#") }
        encodedFragment = String(Substring(url.utf8.dropFirst(beforeFragment.count + 1)))
        let parts = beforeFragment.split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        location = parts.first.map { String(Substring($0)) } ?? ""
        encodedParameters = parts.count == 2 ? String(Substring(parts[1])) : ""
        isPosted = false
    }

    /// A callback by POST (OAuth 2.0 Form Post Response Mode). It is rejected unless the descriptor has
    /// `authorization.response_mode: form_post`.
    ///
    /// - Parameters:
    ///   - url: The URL that was posted to.
    ///   - form: The body, `application/x-www-form-urlencoded`.
    public init(postedTo url: String, form: String) {
        let address = AuthorizationCallback(url: url)
        location = address.location
        encodedFragment = address.encodedFragment
        encodedParameters = [address.encodedParameters, form].filter { !$0.isEmpty }.joined(separator: "&")
        isPosted = true
    }
}

extension AuthorizationCallback: Redacted {
    package var summary: String { "\(location)?[redacted]" }
}
