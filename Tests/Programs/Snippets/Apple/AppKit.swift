import Carnet
import CarnetApple
import AppKit

@MainActor
func signIn(_ client: OAuthClient) async throws -> Session {
    try await client.signIn(with: WebAuthenticationSessionUserAgent())
}
