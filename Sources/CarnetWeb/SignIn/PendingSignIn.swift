import Carnet
import CarnetStorage
import Foundation

/// A sign-in that a browser has begun, as its cookie keeps it.
struct PendingSignIn: Codable {
    static let purpose = "pending sign-in at a browser"
    /// What browsers keep of one cookie, with room for its name and attributes (RFC 6265, section 6.1).
    static let cookieLimit = 3800

    /// The whole of it, or `nil` if a store keeps it under its state.
    var pending: PendingAuthorization?
    /// The state, where a store keeps the rest.
    var storedState: Secret?
    let provider: ProviderID
    let returnTo: ReturnTarget
    /// Who was signed in then: a callback that is posted from the provider's page comes without the session's cookie.
    let accounts: [WebAccount]
    let expiresAt: Date
}
