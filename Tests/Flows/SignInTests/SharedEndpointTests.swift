import Carnet
import CarnetCatalog
import CarnetFoundation
import CarnetSandbox
import CarnetSimulation
import CarnetTesting
import Foundation
import Testing

/// Descriptors of one family have the same endpoints; one sandbox impersonates them side by side.
@Suite("Providers that share endpoints")
struct SharedEndpointTests {
    @Test("Each of a family signs in, with an ID token that the shared keys prove")
    func family() async throws {
        let names = ["microsoft", "onedrive", "outlook"]
        let descriptors = try names.map { try ProviderRegistry.builtIn.descriptor(ProviderID(rawValue: $0)) }
        let inputs = descriptors.map { $0.simulatedInputs().values }
        let sandbox = Sandbox(
            providers: try zip(descriptors, inputs).map { try $0.resolve(inputs: $1) },
            clients: [
                SandboxClient(
                    clientID: "client", clientSecret: "secret", redirectURIs: [SignInFixture.redirectURI])
            ])
        for (descriptor, inputs) in zip(descriptors, inputs) {
            let client = try OAuthClient(
                descriptor,
                registration: ClientRegistration(
                    clientID: "client", credentials: .secret(Secret("secret")), redirectURI: SignInFixture.redirectURI,
                    inputs: inputs),
                transport: SandboxTransport(sandbox))
            let request = try await client.beginSignIn()
            let callback = try await sandbox.approve(authorizationURL: request.url)
            let session = try await client.completeSignIn(AuthorizationCallback(url: callback), for: request.pending)
            #expect(try await session.tokens().scopes == request.pending.scopes, "\(descriptor.id)")
            #expect(try await session.profile().subject != nil)
        }
        let served = Set(await sandbox.requests.filter { $0.endpoint == .token }.compactMap(\.provider?.rawValue))
        #expect(served.isSubset(of: names))
    }

    @Test("Requests for one URL get one response, which says what all of their samples say")
    func oneURL() async throws {
        let fixture = try SignInFixture(
            odd: """
                endpoints:
                  authorization: https://odd.example/authorize
                  token: https://odd.example/token
                  userinfo: https://api.odd.example/me
                profile:
                  claims: { subject: /id }
                  requests:
                    - url: https://api.odd.example/me
                      root: /teams
                      claims: { teams: { each: /id } }
                      sample: { id: 8, teams: [{ id: t1 }] }
                connection:
                  lookups:
                    site: { url: "https://api.odd.example/me", value: /work/site, sample: { work: { site: s1 } } }
                    zone: { url: "https://api.odd.example/me", value: /work/zone, sample: { work: { zone: z1 } } }
                    plan: { url: "https://api.odd.example/plan", value: /basic, sample: { basic: b1 } }
                    offer: { url: "https://api.odd.example/plan", value: /extra, sample: { extra: e1 } }
                samples: { userinfo: { id: 7, work: { title: Host } } }

                """)
        let session = try await fixture.signIn()
        let values = try await session.connectionValues().mapValues(\.text)
        #expect(
            values == [
                "connection.site": "s1", "connection.zone": "z1", "connection.plan": "b1", "connection.offer": "e1",
            ])
        let profile = try await session.profile()
        #expect(profile.subject == "7")
        #expect(profile["teams"] == ["t1"])
        let body = try JSONValue(
            parsing: try #require(fixture.responses.latest(from: "https://api.odd.example/plan")).body)
        #expect(body == ["basic": "b1", "extra": "e1"])
    }
}
