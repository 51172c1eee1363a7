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

    init(_ signIn: SignInModel) {
        self.signIn = signIn
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
