import CarnetApple
import CarnetTesting
import SwiftUI

/// Previews that sign in for real, at a sandbox in this process: no account, no network.
struct GreetingPreview: PreviewProvider {
    static var previews: some View {
        switch Result(catching: Self.greeting) {
        case .success(let greeting): GreetingView(greeting)
        case .failure(let error): Text(verbatim: "\(error)")
        }
    }

    private static func greeting() throws -> Greeting {
        let registration = ClientRegistration(
            clientID: "client", redirectURI: "com.example.app:/callback", inputs: ["domain": "dev.example.com"])
        let auth0 = try ProviderRegistry.builtIn.descriptor(.auth0)
        let sandbox = Sandbox(
            providers: [try auth0.resolve(inputs: ["domain": "dev.example.com"])],
            clients: [SandboxClient(clientID: "client", redirectURIs: ["com.example.app:/callback"])])
        let client = try OAuthClient(auth0, registration: registration, transport: SandboxTransport(sandbox))
        let agent = ScriptedUserAgent { url, _ in [try await sandbox.approve(authorizationURL: url)] }
        return Greeting(SignInModel(client, agent: agent))
    }
}
