import Carnet
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Testing

@Suite("Rotating the client secret")
struct SecretRotationTests {
    @Test("Accounts stay signed in, and only the new secret is sent from then on")
    func secret() async throws {
        let provider = ScriptedProvider()
        provider.on("/token") { provider, form in .json(try provider.tokens(for: form).jsonText()) }
        let store = MemoryTokenStore()
        let yaml = Fixture.openID + "client: { authentication: [client_secret_post] }\n"
        let old = try provider.client(yaml, secret: "first-secret", store: store)
        let new = try provider.client(yaml, secret: "second-secret", store: store)
        let session = try await provider.signIn(old, account: "ada")
        let before = try await session.tokens()
        provider.clock.advance(by: .seconds(3600))
        let again = try #require(try await new.session(for: "ada"))
        #expect(try await again.tokens().accessToken != before.accessToken)
        let secrets = provider.requests(to: "/token").map { ScriptedProvider.form(of: $0)["client_secret"] }
        #expect(secrets == ["first-secret", "second-secret"])
    }
}
