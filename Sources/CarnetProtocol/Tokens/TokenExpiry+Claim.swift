import CarnetDescriptors
import CarnetFoundation

extension TokenExpiry {
    /// The expiry in an access token, if the token is a JWT.
    ///
    /// The signature is not checked: a wrong expiry only makes a refresh early or late.
    init?(claimOf accessToken: Secret) {
        guard let end = JSONValue(claimsOf: accessToken.reveal())?["exp"]?.time else { return nil }
        self = .at(end)
    }
}
