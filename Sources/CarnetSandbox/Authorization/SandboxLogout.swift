/// What a client is told when a session is over (OpenID Connect Back-Channel Logout, section 2.5): a form to be posted.
public struct SandboxLogout: Sendable {
    /// The client's back-channel logout URI.
    public let url: String
    public let body: [UInt8]

    public static let contentType = "application/x-www-form-urlencoded"
}
