public import CarnetDescriptors
public import Foundation

/// One sign-in that has begun and waits for its callback.
///
/// It can be encoded and restored, so that a sign-in survives a restart; store it sealed, for it holds the verifier. It
/// serves for one callback and until `expiresAt`.
public struct PendingAuthorization: Codable, Hashable, Sendable {
    public let provider: ProviderID
    public let clientID: String
    /// The inputs that make a descriptor one provider: a callback of another tenant is not taken.
    let inputs: [String: String]
    let environment: String?
    public let redirectURI: String
    /// The scopes that were asked for.
    public let scopes: [String]
    public let createdAt: Date
    public let expiresAt: Date
    let state: Secret
    /// What the provider calls the state in a callback, if not that.
    let stateParameter: String?
    let nonce: Secret?
    let codeVerifier: Secret?
    /// Whether the redirect URI was sent with the state in its query.
    let hasStateInRedirectURI: Bool?

    /// The parameter by which a callback is matched to this attempt. A key for a store, and no more secret than the URL
    /// that the browser shows.
    public var id: Secret { state }
}
