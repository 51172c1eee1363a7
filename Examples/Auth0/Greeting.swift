import Carnet
import CarnetCatalog
import CarnetApple
import Foundation
import Observation

/// Login and logout with Auth0, and a greeting.
@MainActor
@Observable
final class Greeting {
    let signIn: SignInModel
    private(set) var text = Greeting.loggedOut

    static let loggedOut = "You are logged out."

    init(_ client: OAuthClient, agent: any UserAgent) {
        signIn = SignInModel(client, agent: agent)
    }

    /// - Parameter domain: Of the tenant. Allow both URIs in its dashboard: the callback and the logout URL.
    static func client(
        id: String, domain: String, bundleID: String, transport: any Transport, store: (any TokenStore)? = nil
    ) throws -> OAuthClient {
        try OAuthClient(
            ProviderRegistry.builtIn.descriptor(.auth0),
            registration: ClientRegistration(
                clientID: id,
                redirectURI: "\(bundleID)://\(domain)/ios/\(bundleID)/callback",
                postLogoutRedirectURI: "\(bundleID)://\(domain)/ios/\(bundleID)/logged-out",
                inputs: ["domain": domain]),
            transport: transport, store: store)
    }

    /// Greets whoever is signed in.
    func load() async {
        guard let session = signIn.session else {
            text = Self.loggedOut
            return
        }
        text = "Finishing login…"
        do {
            let profile = try await session.profile()
            text = "Hello, \(profile.name ?? profile.email ?? "stranger"). You are logged in."
        } catch {
            text = "\(error)"
        }
    }

    /// Ends the session here and at Auth0, so that the next login asks who it is.
    func logOut() async {
        await signIn.signOut(.everywhere)
    }
}
