import Carnet
import CarnetURLSession
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

func client(of registry: ProviderRegistry) throws -> OAuthClient {
    try OAuthClient(
        registry.descriptor("acme"),
        registration: ClientRegistration(clientID: "YOUR-CLIENT-ID", redirectURI: "com.example.app:/callback"),
        transport: URLSessionTransport()
    )
}

/// Sends a request of the app with the access token.
func photos(of session: Session, at url: URL) async throws -> [UInt8] {
    try await session.send(URLRequest(url: url)).body
}
