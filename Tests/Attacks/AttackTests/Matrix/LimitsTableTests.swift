import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetWeb
import Foundation
import Testing

/// The limits that Docs/security.md promises are those of the code.
@Suite("Limits table")
struct LimitsTableTests {
    @Test("Page names the limits")
    func pageNamesTheLimits() throws {
        let page = try Repository.file("Docs/security.md").text
        let limits: [(String, Int)] = [
            ("response body", TransportLimits().maximumBodyBytes),
            ("access token, refresh token, signed JWT", ReceivedLimit.token),
            ("encrypted JWT", ReceivedLimit.encryptedToken),
            ("authorization code", ReceivedLimit.code),
            ("device code, user code", ReceivedLimit.deviceCode),
            ("scopes of a token response", ReceivedLimit.scope),
            ("`authorization_details` of a token response", ReceivedLimit.authorizationDetails),
            ("profile that is kept of a token response", ReceivedLimit.keptProfile),
            ("captured or derived value", ReceivedLimit.keptValue),
            ("member of a client registration", ReceivedLimit.registrationMember),
            ("`request_uri` of a pushed request", ReceivedLimit.requestURI),
            ("`DPoP-Nonce`", ReceivedLimit.dpopNonce),
            ("`WWW-Authenticate`", ReceivedLimit.challenge),
            ("media type", ReceivedLimit.mediaType),
            ("`kid` of a token", ReceivedLimit.keyID),
            ("`sub`", ReceivedLimit.subject),
            ("`sid` of a logout", ReceivedLimit.sessionID),
            ("`iss` of a logout", ReceivedLimit.issuer),
            ("`jti` of a logout token", ReceivedLimit.logoutTokenID),
            ("combining characters in a row, in JSON, forms and descriptors", String.longestCombiningRow),
            ("body of a request to the sign-in pages", WebSignIn.maximumBodyBytes),
            ("descriptor", YAMLLimits().maximumBytes),
        ]
        for (name, limit) in limits {
            let row = page.split(separator: "\n").first { $0.hasPrefix("| \(name) | ") } ?? ""
            let written = row.dropFirst("| \(name) | ".count).prefix { $0.isNumber || $0 == "," }
            #expect(written.replacing(",", with: "") == String(limit), "\(name): \(limit)")
        }
    }
}
