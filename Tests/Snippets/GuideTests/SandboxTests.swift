import Carnet
import CarnetSandbox
import CarnetTesting
import Testing

@Suite("Sign-in at a sandbox")
struct SandboxTests {
    private static let redirectURI = "http://127.0.0.1:49152/callback"

    private let clock = ManualClock()

    private func descriptor() throws -> ProviderDescriptor {
        let text = """
            carnet: 1
            id: acme
            name: Acme
            issuer: https://id.acme.example
            scopes: { default: [openid, profile, email] }
            """
        var registry = ProviderRegistry()
        registry.add([SourceFile(path: "acme.yaml", text: text)], origin: .folder("tests"))
        return try registry.descriptor("acme")
    }

    /// A client, and the sandbox that plays its provider.
    private func client(faults: Set<SandboxFault> = []) throws -> (client: OAuthClient, sandbox: Sandbox) {
        let sandbox = Sandbox(
            providers: [try descriptor().resolve()],
            clients: [SandboxClient(clientID: "client", redirectURIs: [Self.redirectURI])],
            options: SandboxOptions(faults: faults),
            now: { [clock] in clock.now }
        )
        let client = try OAuthClient(
            try descriptor(),
            registration: ClientRegistration(clientID: "client", redirectURI: Self.redirectURI),
            transport: SandboxTransport(sandbox),
            clock: clock
        )
        return (client, sandbox)
    }

    /// A person who allows everything on the sandbox's consent page.
    private func person(at sandbox: Sandbox) -> ScriptedUserAgent {
        ScriptedUserAgent { authorizationURL, _ in [try await sandbox.approve(authorizationURL: authorizationURL)] }
    }

    @Test("An expired access token is refreshed without the person")
    func refresh() async throws {
        let (client, sandbox) = try client()
        let session = try await client.signIn(with: person(at: sandbox))
        let first = try await session.tokens()
        clock.advance(by: .seconds(24 * 3600))
        #expect(try await session.tokens().accessToken != first.accessToken)
    }

    @Test("A forged ID token ends the sign-in, and nothing is stored")
    func forgedIDToken() async throws {
        let (client, sandbox) = try client(faults: [.badSignature])
        let error = await #expect(throws: OAuthError.self) { try await client.signIn(with: person(at: sandbox)) }
        #expect(error?.kind == .badSignature)
        #expect(try await client.accounts().isEmpty)
    }
}
