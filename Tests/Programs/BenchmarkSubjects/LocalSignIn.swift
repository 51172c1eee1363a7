package import Carnet
import CarnetProtocol
import Foundation

/// Sign-ins at a `SigningProvider`: what the engine costs, without or with a network.
package struct LocalSignIn: Sendable {
    private struct Direct: Transport {
        let provider: SigningProvider

        func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
            try provider.response(to: request, now: Date())
        }
    }

    private static let redirectURI = "http://127.0.0.1:49152/callback"

    package let client: OAuthClient

    /// - Parameter transport: `nil` for a provider in this process.
    package init(at provider: SigningProvider, transport: (any Transport)? = nil) throws {
        client = try OAuthClient(
            provider.descriptor, registration: ClientRegistration(clientID: "client", redirectURI: Self.redirectURI),
            transport: transport ?? Direct(provider: provider))
    }

    package func begin() async throws -> AuthorizationRequest { try await client.beginSignIn() }

    /// What the browser would bring back, with the nonce as the code.
    package static func callback(for request: AuthorizationRequest) -> AuthorizationCallback {
        let code = Query.value(of: "nonce", in: request.url) ?? ""
        let state = Query.value(of: "state", in: request.url) ?? ""
        return AuthorizationCallback(url: "\(redirectURI)?code=\(code)&state=\(state)")
    }

    @discardableResult
    package func complete(_ request: AuthorizationRequest) async throws -> Session {
        try await client.completeSignIn(Self.callback(for: request), for: request.pending)
    }
}
