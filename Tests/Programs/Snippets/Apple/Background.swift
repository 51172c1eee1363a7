import Carnet
import CarnetApple
import Foundation

func refreshInBackground(_ client: OAuthClient) async throws {
    for account in try await client.accounts() {
        _ = try await client.session(for: account)?.tokens()
    }
}

func isLocked(_ error: any Error) -> Bool {
    (error as? TokenStoreError)?.systemCode == -25_308
}
