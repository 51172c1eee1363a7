package import Foundation

/// The sentences that the views show, in the language of the user.
package enum SignInText: String, CaseIterable, Sendable {
    /// With the provider's name in the place of `%@`.
    case signInWith = "sign_in_with"
    case signingIn = "signing_in"
    case cancelSignIn = "cancel_sign_in"
    case signInAgain = "sign_in_again"
    case tryAgain = "try_again"
    case signOut = "sign_out"
    case needsSignIn = "needs_sign_in"
    case signInFailed = "sign_in_failed"
    case tryLater = "try_later"

    package static var bundle: Bundle { .module }

    package func text(in bundle: Bundle = Self.bundle) -> String {
        bundle.localizedString(forKey: rawValue, value: nil, table: nil)
    }

    package static func signIn(with provider: String, in bundle: Bundle = Self.bundle) -> String {
        // Not `String(format:)`: a provider's name is no format.
        signInWith.text(in: bundle).replacingOccurrences(of: "%@", with: provider)
    }
}
