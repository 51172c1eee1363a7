import Carnet
import CarnetApple
import UIKit

@MainActor
final class AccountViewController: UIViewController {
    func signIn(_ client: OAuthClient) async throws -> Session {
        try await client.signIn(with: WebAuthenticationSessionUserAgent())
    }

    func signInHere(_ client: OAuthClient) async throws -> Session {
        try await client.signIn(with: WebAuthenticationSessionUserAgent { [weak self] in self?.view.window })
    }
}
