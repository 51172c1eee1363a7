public import Carnet
import CarnetFoundation
import CarnetProtocol

/// The sender of an allowed request, according to its access token.
public struct Caller: Sendable {
    /// The provider whose token it is.
    public let provider: ProviderID
    /// With `subject`, it identifies an account. `nil` if an introspection response names none.
    public let issuer: String?
    /// The account, or the client itself for a token without a user; `nil` if the token names none.
    public let subject: String?
    /// The client that the token was issued to; `nil` if the token names none.
    public let clientID: String?
    /// The granted scopes, as the token names them.
    public let scopes: [String]
    /// All claims of the token, or all members of the introspection response.
    public let claims: JSONObject

    init(_ validated: ValidatedToken) {
        let token = validated.token
        provider = validated.provider
        issuer = token.issuer
        subject = token.subject
        clientID = token.clientID
        scopes = token.scopes
        claims = token.claims
    }
}
