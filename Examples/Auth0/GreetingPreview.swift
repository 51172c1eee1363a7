import Carnet
import CarnetCatalog
import CarnetSandbox
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
        let (domain, bundleID) = ("dev.example.com", "com.example.app")
        let redirectURI = "\(bundleID)://\(domain)/ios/\(bundleID)/callback"
        let sandbox = Sandbox(
            providers: [try ProviderRegistry.builtIn.descriptor(.auth0).resolve(inputs: ["domain": domain])],
            clients: [SandboxClient(clientID: "client", redirectURIs: [redirectURI])])
        return Greeting(
            try Greeting.client(
                id: "client", domain: domain, bundleID: bundleID, transport: SandboxTransport(sandbox)),
            agent: ScriptedUserAgent { url, _ in [try await sandbox.approve(authorizationURL: url)] })
    }
}
