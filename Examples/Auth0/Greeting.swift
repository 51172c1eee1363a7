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

    init(_ signIn: SignInModel) {
        self.signIn = signIn
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
