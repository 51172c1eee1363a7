import CarnetApple
import CarnetTesting
import Foundation

/// The sign-in of a preview, at a sandbox that plays the provider of the bundle's `acme.yaml`.
@MainActor
func previewSignIn() throws -> SignInModel {
    var registry = ProviderRegistry.builtIn
    try registry.add(folder: Bundle.main.resourcePath ?? "")
    let acme = try registry.descriptor("acme")
    let redirectURI = "com.example.app:/callback"
    let sandbox = Sandbox(
        providers: [try acme.resolve()], clients: [SandboxClient(clientID: "client", redirectURIs: [redirectURI])])
    let client = try OAuthClient(
        acme, registration: ClientRegistration(clientID: "client", redirectURI: redirectURI),
        transport: SandboxTransport(sandbox))
    let person = ScriptedUserAgent { url, _ in [try await sandbox.approve(authorizationURL: url)] }
    return SignInModel(client, agent: person)
}
