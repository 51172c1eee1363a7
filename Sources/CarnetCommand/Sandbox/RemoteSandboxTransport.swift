import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetSandbox
import HTTPTypes

/// Sends every request to a running sandbox instead of the provider.
struct RemoteSandboxTransport: Transport {
    let address: SandboxAddress
    let transport: any Transport

    func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        var request = request.tellingCertificate()
        let head = request.head
        let meant: WebURL
        let url: WebURL
        do {
            meant = try WebURL("\(head.scheme ?? "")://\(head.authority ?? "")\(head.path ?? "")")
            url = try WebURL(address.sandboxURL(for: meant))
        } catch {
            throw TransportError(.unsupportedRequest, "the request's URL has no place in a sandbox: \(error)")
        }
        request.head.scheme = url.scheme
        request.head.authority = url.authority
        request.head.path = url.target
        return try await transport.send(request, limits: limits)
    }
}

/// Shows the authorization page of a running sandbox instead of the provider's.
struct RemoteSandboxUserAgent: UserAgent {
    let address: SandboxAddress
    let agent: any UserAgent

    func prepare(redirectURI: String) async throws -> any AuthorizationPresenter {
        try await prepare(redirectURI: redirectURI, responseMode: .query)
    }

    func prepare(redirectURI: String, responseMode: ResponseMode) async throws -> any AuthorizationPresenter {
        let presenter = try await agent.prepare(redirectURI: redirectURI, responseMode: responseMode)
        return Presenter(address: address, presenter: presenter)
    }

    private struct Presenter: AuthorizationPresenter {
        let address: SandboxAddress
        let presenter: any AuthorizationPresenter

        var redirectURI: String { presenter.redirectURI }

        func present(
            _ url: String,
            accepts: @escaping @Sendable (AuthorizationCallback) -> Bool
        ) async throws -> AuthorizationCallback {
            let url = try WebURL(url)
            return try await presenter.present(address.sandboxURL(for: url), accepts: accepts)
        }

        func close() async { await presenter.close() }
    }
}
