import Carnet
import CarnetCatalog
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
}
