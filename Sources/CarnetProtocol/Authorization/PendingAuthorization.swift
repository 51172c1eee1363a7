public import CarnetDescriptors
public import Foundation

/// One sign-in that has begun and waits for its callback.
///
/// It can be encoded and restored, so that a sign-in survives a restart; store it sealed, for it holds the verifier. It
/// serves for one callback and until `expiresAt`.
public struct PendingAuthorization: Codable, Hashable, Sendable {
    public let provider: ProviderID
    package let clientID: String
    /// The inputs that make a descriptor one provider: a callback of another tenant is not taken.
    let inputs: [String: String]
    let environment: String?
    public let redirectURI: String
    /// The scopes that were asked for.
    package let scopes: [String]
    public let createdAt: Date
    public let expiresAt: Date
    let state: Secret
    /// What the provider calls the state in a callback, if not that.
    let stateParameter: String?
    let nonce: Secret?
    let codeVerifier: Secret?
    /// The resource servers that the tokens are for (RFC 8707).
    let resources: [String]?
    /// How many seconds ago the user may have signed in at most, and by which means.
    let maxAge: Int?
    let acrValues: [String]?
    /// The key that the tokens will be bound to.
    package let dpopKey: Secret?
    /// Whether the redirect URI was sent with the state in its query.
    let hasStateInRedirectURI: Bool?
    /// How the answer was asked to come; `nil` if that was left to the provider.
    package var responseMode: ResponseMode?
    /// The places that the code and the client's credentials may be sent to, as the provider was when it began.
    package var servers: [String]?

    /// The parameter by which a callback is matched to this attempt. A key for a store, and no more secret than the URL
    /// that the browser shows.
    public var id: Secret { state }
}
