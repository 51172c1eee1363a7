import AppKit
import Carnet
import CarnetApple

@MainActor
final class AccountViewController: NSViewController {
    func signIn(_ client: OAuthClient) async throws -> Session {
        try await client.signIn(with: WebAuthenticationSessionUserAgent())
    }
}
