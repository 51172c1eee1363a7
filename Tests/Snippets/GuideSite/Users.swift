import CarnetHummingbird
import Foundation
import Hummingbird

/// The site's own users. This actor keeps them in memory; a table replaces it in production.
actor Users {
    struct User: Sendable {
        let id: UUID
        var name: String
        var email: String?
    }

    /// The issuer and subject as bytes: `String ==` treats different Unicode spellings as equal.
    private struct Identity: Hashable {
        let issuer: [UInt8]
        let subject: [UInt8]
    }

    private var users: [Identity: User] = [:]

    /// Finds the user of the latest sign-in, or creates one.
    func user(for signIn: SignInState) async throws -> User {
        guard let account = signIn.account else { throw HTTPError(.unauthorized) }
        let subject: String? = account.subject
        guard let subject else { throw HTTPError(.badGateway, message: "the provider did not say who signed in") }
        // Plain OAuth 2.0 has no issuer; the provider's id takes its place.
        let issuer = account.issuer ?? account.provider.rawValue
        let identity = Identity(issuer: Array(issuer.utf8), subject: Array(subject.utf8))
        if let user = users[identity] { return user }

        // One request to the provider, on the first visit only.
        let profile = try await signIn.profile()
        let email = profile.isEmailVerified == true ? profile.email : nil
        let user = users[identity] ?? User(id: UUID(), name: profile.name ?? subject, email: email)
        users[identity] = user
        return user
    }
}
