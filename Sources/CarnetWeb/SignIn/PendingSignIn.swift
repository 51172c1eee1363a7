import Carnet
import CarnetFoundation
import CarnetStorage

/// A sign-in that a browser has begun, as its cookie keeps it.
struct PendingSignIn: Codable {
    static let purpose = "pending sign-in at a browser"

    /// The whole of it, or `nil` if a store keeps it under its state.
    var pending: PendingAuthorization?
    /// The state, where a store keeps the rest.
    var storedState: Secret?
    let provider: ProviderID
    var returnTo: ReturnTarget
    /// Who was signed in then, for a callback that is posted from the provider's page: it comes without the session's
    /// cookie.
    let accounts: [WebAccount]
    let expiresAt: Date
}
