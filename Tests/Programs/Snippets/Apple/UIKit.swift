import Carnet
import CarnetApple
import UIKit

@MainActor
func signIn(_ client: OAuthClient) async throws -> Session {
    try await client.signIn(with: WebAuthenticationSessionUserAgent())
}

@MainActor
func signIn(_ client: OAuthClient, from controller: UIViewController) async throws -> Session {
    try await client.signIn(with: WebAuthenticationSessionUserAgent { [weak controller] in controller?.view.window })
}
