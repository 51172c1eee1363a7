import AppKit
import Carnet
import CarnetApple

@MainActor
func signIn(_ client: OAuthClient) async throws -> Session {
    try await client.signIn(with: WebAuthenticationSessionUserAgent())
}
