import CarnetDescriptors
import Foundation

extension TokenEnd {
    /// The end that an access token names itself, if it is a JWT.
    ///
    /// Its signature is the resource's business: a wrong end only makes a renewal early or late.
    init?(claimOf accessToken: Secret) {
        let segments = accessToken.reveal().utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard segments.count == 3, segments[1].count <= ReceivedLimit.token,
            let payload = Base64URL.decode(segments[1]), let claims = try? JSONValue(parsing: payload),
            let seconds = claims["exp"]?.double, (0...253_402_300_799).contains(seconds)
        else { return nil }
        self = .at(Date(timeIntervalSince1970: seconds))
    }
}
