import CarnetDescriptors
import CarnetFoundation

extension TokenExpiry {
    /// The expiry in an access token, if the token is a JWT.
    ///
    /// The signature is not checked: a wrong expiry only makes a refresh early or late.
    init?(claimOf accessToken: Secret) {
        guard let seconds = JSONValue(claimsOf: accessToken.reveal())?["exp"]?.double,
            (0...253_402_300_799).contains(seconds)
        else { return nil }
        self = .at(Date(timeIntervalSince1970: seconds))
    }
}
