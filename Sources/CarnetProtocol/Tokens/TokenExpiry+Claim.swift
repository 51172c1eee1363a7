import CarnetDescriptors
import Foundation

extension TokenExpiry {
    /// The expiry in an access token, if the token is a JWT.
    ///
    /// The signature is not checked: a wrong expiry only makes a refresh early or late.
    init?(claimOf accessToken: Secret) {
        let segments = accessToken.reveal().utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard segments.count == 3, segments[1].count <= ReceivedLimit.token,
            let payload = Base64URL.decode(segments[1]), let claims = try? JSONValue(parsing: payload),
            let seconds = claims["exp"]?.double, (0...253_402_300_799).contains(seconds)
        else { return nil }
        self = .at(Date(timeIntervalSince1970: seconds))
    }
}
