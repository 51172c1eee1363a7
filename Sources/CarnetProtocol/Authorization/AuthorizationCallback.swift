import CarnetDescriptors
import CarnetFoundation

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
        (location, encodedParameters, encodedFragment) = url.withBytes { bytes in
            func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
            let end = bytes.place(of: UInt8(ascii: "#")) ?? bytes.count
            let mark = bytes.place(of: UInt8(ascii: "?")) ?? end
            let question = min(mark, end)
            return (
                text(0..<question), text(min(question + 1, end)..<end), text(min(end + 1, bytes.count)..<bytes.count)
            )
        }
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
