import Carnet
import CarnetCatalog
import CarnetApple
import Foundation
import Observation

/// Who is signed in with Google: the name and the picture, also after the app was started anew.
@MainActor
@Observable
final class GoogleProfile {
    let signIn: SignInModel
    private(set) var profile: Profile?
    private(set) var problem: String?

    init(_ client: OAuthClient, agent: any UserAgent) {
        signIn = SignInModel(client, agent: agent)
    }

    /// - Parameter bundleID: Of the iOS client that is registered in the Google Cloud console.
    static func client(
        id: String, bundleID: String, transport: any Transport, store: any TokenStore
    ) throws -> OAuthClient {
        try OAuthClient(
            ProviderRegistry.builtIn.descriptor(.google),
            registration: ClientRegistration(clientID: id, redirectURI: "\(bundleID):/oauth2callback"),
            transport: transport, store: store)
    }

    /// Loads the profile of whoever is signed in.
    func load() async {
        guard let session = signIn.session else {
            profile = nil
            return
        }
        do {
            profile = try await session.profile()
            problem = nil
        } catch {
            problem = "\(error)"
        }
    }
}
