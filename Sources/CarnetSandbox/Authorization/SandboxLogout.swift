/// The form that is posted to a client when a session ends (OpenID Connect Back-Channel Logout, section 2.5).
public struct SandboxLogout: Sendable {
    /// The client's back-channel logout URI.
    public let url: String
    public let body: [UInt8]

    public static let contentType = "application/x-www-form-urlencoded"
}
