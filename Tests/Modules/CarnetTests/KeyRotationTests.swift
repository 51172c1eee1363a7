import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Key rotation")
struct KeyRotationTests {
    private let provider = ScriptedProvider()

    /// The provider signs with the other key, under an id or none.
    private func rotate(to keyID: String?, publishing: [JSONValue]? = nil) throws {
        provider.on("/token") { provider, form in
            .json(try provider.tokens(for: form, key: .otherRSA, keyID: keyID).jsonText())
        }
        let members: [String: JSONValue] = keyID.map { ["kid": .string($0)] } ?? [:]
        let keys = try publishing ?? [SigningKey.otherRSA.jwk(members)]
        provider.on("/jwks", response: .json((["keys": .array(keys)] as JSONValue).jsonText()))
    }

    @Test("Keys are asked for once an hour")
    func keysAreAskedForOnceAnHour() async throws {
        let client = try provider.client()
        for _ in 0..<3 { _ = try await provider.signIn(client) }
        #expect(provider.count("/jwks") == 1)
        provider.clock.advance(by: .seconds(3600))
        _ = try await provider.signIn(client)
        #expect(provider.count("/jwks") == 2)
    }

    // JOSE-11, JOSE-19: a new key under the same id, or under none.
    @Test("New key under the same ID is found", arguments: ["1", nil])
    func newKeyUnderTheSameIDIsFound(_ keyID: String?) async throws {
        let client = try provider.client()
        _ = try await provider.signIn(client)
        try rotate(to: keyID)
        _ = try await provider.signIn(client)
        #expect(provider.count("/jwks") == 2)
    }

    // JOSE-19: one request for all who wait, and none of them fails.
    @Test("New key is found for all at once")
    func newKeyIsFoundForAllAtOnce() async throws {
        let client = try provider.client()
        _ = try await provider.signIn(client)
        try rotate(to: "2")
        let outcomes = await concurrently(20) { [provider] index in
            try await provider.signIn(client, account: "account-\(index)")
        }
        #expect(outcomes.allSatisfy { (try? $0.get()) != nil })
        #expect(provider.count("/jwks") == 2)
    }

    // JOSE-20, JOSE-23: the same while the keys cannot be had; good tokens are still validated by those known.
    @Test("Random key IDs ask no more while the keys cannot be had")
    func randomKeyIDsAskNoMoreWhileTheKeysCannotBeHad() async throws {
        let client = try provider.client()
        _ = try await provider.signIn(client)
        provider.on("/jwks", response: .json("{}", status: 500))
        provider.on("/token") { provider, form in
            .json(try provider.tokens(for: form, keyID: UUID().uuidString).jsonText())
        }
        for _ in 0..<50 {
            await #expect(throws: OAuthError.self) { try await provider.signIn(client) }
        }
        #expect(provider.count("/jwks") == 2)
        provider.restore("/token")
        _ = try await provider.signIn(client)
    }

    // JOSE-20: also for a client that never had keys, and after their hour.
    @Test("Keys that cannot be had are not asked for again at once")
    func keysThatCannotBeHadAreNotAskedForAgainAtOnce() async throws {
        let client = try provider.client()
        provider.on("/jwks", response: .json("{}", status: 500))
        for _ in 0..<20 {
            await expectError(.keys, .serverUnavailable) { try await provider.signIn(client) }
        }
        #expect(provider.count("/jwks") == 1)
        provider.restore("/jwks")
        provider.clock.advance(by: .seconds(10))
        _ = try await provider.signIn(client)
        provider.clock.advance(by: .seconds(3600))
        provider.on("/jwks", fail: .timeout)
        for _ in 0..<5 { _ = try await provider.signIn(client) }
        #expect(provider.count("/jwks") == 3)
    }

    // JOSE-04: a forged signature costs the provider one request a minute.
    @Test("Forged signatures ask once a minute")
    func forgedSignaturesAskOnceAMinute() async throws {
        let client = try provider.client()
        provider.on("/token") { provider, form in
            .json(try provider.tokens(for: form, key: .otherRSA).jsonText())
        }
        for _ in 0..<10 { await expectError(.idToken, .badSignature) { try await provider.signIn(client) } }
        #expect(provider.count("/jwks") == 2)
    }
}
