import CarnetResourceServer
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

/// Access tokens that another implementation signed and validated.
@Suite("Access tokens of another implementation")
struct AccessTokenTests {
    /// Where the two may differ, and what Carnet does.
    private static let differences = [
        // joserfc refuses a token without `kid` if there are several keys. RFC 7515, section 4.1.4 makes it optional.
        "without a key id": true
    ]

    @Test("are accepted and refused in agreement")
    func agreement() async throws {
        let peer = try PeerTokens(issuer: Door.issuer, audience: Door.resource)
        #expect(peer.tokens.count > 35 && peer.tokens.filter(\.isAccepted).count > 15)
        let door = try Door()
        door.clock.set(to: Date(timeIntervalSince1970: peer.now))
        door.publish(keySet: peer.keys)
        for token in peer.tokens {
            let expected = Self.differences[token.name] ?? token.isAccepted
            switch await door.server.decide(Door.bearing(token.text)) {
            case .allowed: #expect(expected, "\(token.name): accepted")
            case .refused(let refusal): #expect(!expected, "\(token.name): \(refusal.reason)")
            }
        }
        for name in Self.differences.keys { #expect(peer.tokens.contains { $0.name == name && !$0.isAccepted }) }
    }
}
