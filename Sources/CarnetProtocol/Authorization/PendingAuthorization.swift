public import CarnetDescriptors
public import CarnetFoundation

/// A sign-in that has begun and waits for its callback.
///
/// It is `Codable`, so that a sign-in survives a restart. Store it encrypted: it contains the code verifier. It is
/// valid for one callback, until `expiresAt`.
public struct PendingAuthorization: Codable, Hashable, Sendable {
    public let provider: ProviderID
    package let clientID: String
    /// The descriptor's inputs. A callback of another tenant is rejected.
    let inputs: [String: String]
    let environment: String?
    package let redirectURI: String
    /// The requested scopes.
    package let scopes: [String]
    package let createdAt: Date
    public let expiresAt: Date
    let state: Secret
    /// The provider's name for `state` in a callback, if it has another one.
    let stateParameter: String?
    let nonce: Secret?
    let codeVerifier: Secret?
    /// The resource servers that the tokens are for (RFC 8707).
    package let resources: [String]?
    /// The requested maximum age of the authentication, and the acceptable authentication context classes.
    let maxAge: Int?
    let essentialACRs: [String]?
    /// The key that the tokens will be bound to.
    package let dpopKey: Secret?
    /// Whether the redirect URI was sent with the state in its query.
    let hasStateInRedirectURI: Bool?
    /// The requested response mode; `nil` for the provider's default.
    package var responseMode: ResponseMode?
    /// The origins that may receive the code and the client's credentials, as they were when the sign-in began.
    package var servers: [String]?
    /// The issuer, if the metadata of a resource named it when the sign-in began.
    package var issuer: String?

    /// Whether an ID token has to prove when or how the user signs in.
    package var demandsProofOfAuthentication: Bool { maxAge != nil || essentialACRs?.isEmpty == false }

    /// The `state` that matches a callback to this attempt. It can be the key in a store: it is no more secret than
    /// the authorization URL.
    public var id: Secret { state }
}
