import Carnet
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

/// What sign-ins at one provider share: its metadata and its keys are asked for once.
@Suite("Shared lookup")
struct SharedLookupTests {
    private let provider = ScriptedProvider()

    private var discoveries: Int { provider.count("/.well-known/openid-configuration") }
    private var keySets: Int { provider.count("/jwks") }

    @Test("Second sign-in sends nothing but its code")
    func secondSignInSendsNothingButItsCode() async throws {
        let client = try provider.client(Fixture.discovered)
        _ = try await provider.signIn(client, account: "first")
        #expect(discoveries == 1 && keySets == 1)
        let before = provider.requests.count
        _ = try await provider.signIn(client, account: "second")
        #expect(discoveries == 1 && keySets == 1)
        #expect(provider.requests.count == before + 1)
    }

    @Test("Hundred first sign-ins share one of each")
    func hundredFirstSignInsShareOneOfEach() async throws {
        let client = try provider.client(Fixture.discovered)
        let outcomes = await concurrently(100) { number in
            try await provider.signIn(client, account: "user \(number)")
        }
        #expect(outcomes.allSatisfy { (try? $0.get()) != nil })
        #expect(discoveries == 1 && keySets == 1)
        #expect(provider.count("/token") == 100)
    }

    /// Of the tokens of a client's own 64 are kept: the one that ends first goes.
    @Test("Tokens of the client's own are bounded")
    func tokensOfTheClientsOwnAreBounded() async throws {
        provider.on("/token") { provider, _ in
            provider.clock.advance(by: .seconds(1))
            return .json(#"{"access_token":"own","token_type":"Bearer","expires_in":3600}"#)
        }
        let client = try provider.client(Fixture.openID, secret: "s3cret")
        for number in 0...64 { _ = try await client.tokens(for: .clientCredentials(scopes: ["scope\(number)"])) }
        #expect(provider.count("/token") == 65)
        _ = try await client.tokens(for: .clientCredentials(scopes: ["scope64"]))
        #expect(provider.count("/token") == 65)
        _ = try await client.tokens(for: .clientCredentials(scopes: ["scope0"]))
        #expect(provider.count("/token") == 66)
    }
}
