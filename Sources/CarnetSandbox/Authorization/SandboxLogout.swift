/// The form that is posted to a client when a session ends (OpenID Connect Back-Channel Logout, section 2.5).
package struct SandboxLogout: Sendable {
    /// The client's back-channel logout URI.
    package let url: String
    package let body: [UInt8]

    package static let contentType = "application/x-www-form-urlencoded"
}
