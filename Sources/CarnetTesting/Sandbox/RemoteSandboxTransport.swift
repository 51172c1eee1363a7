public import Carnet
package import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
package import CarnetSandbox
import HTTPTypes

/// Sends every request to a running `carnet sandbox` instead of the provider, for development.
public struct RemoteSandboxTransport: Transport {
    private let address: SandboxAddress
    private let transport: any Transport

    /// - Parameters:
    ///   - origin: The sandbox's origin, e.g. `http://127.0.0.1:9000`.
    ///   - transport: Sends the requests; it must accept local addresses.
    /// - Throws: `WebURLError`.
    public init(origin: String, over transport: any Transport) throws {
        self.init(SandboxAddress(try WebURL(origin)), over: transport)
    }

    package init(_ address: SandboxAddress, over transport: any Transport) {
        self.address = address
        self.transport = transport
    }

    public func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        var request = request.withCertificateField()
        let head = request.head
        let url: WebURL
        do {
            let original = try WebURL("\(head.scheme ?? "")://\(head.authority ?? "")\(head.path ?? "")")
            url = try WebURL(address.sandboxURL(for: original))
        } catch {
            throw TransportError(.unsupportedRequest, "the sandbox cannot serve the request's URL: \(error)")
        }
        request.head.scheme = url.scheme
        request.head.authority = url.authority
        request.head.path = url.target
        return try await transport.send(request, limits: limits)
    }
}

/// Opens the authorization page of a running `carnet sandbox` instead of the provider's, for development.
public struct RemoteSandboxUserAgent: ListeningUserAgent {
    private let address: SandboxAddress
    private let agent: any UserAgent

    /// - Parameter origin: The sandbox's origin, e.g. `http://127.0.0.1:9000`.
    /// - Throws: `WebURLError`.
    public init(origin: String, over agent: any UserAgent) throws {
        self.init(SandboxAddress(try WebURL(origin)), over: agent)
    }

    package init(_ address: SandboxAddress, over agent: any UserAgent) {
        self.address = address
        self.agent = agent
    }

    package func prepare(
        redirectURI: String, responseMode: ResponseMode
    ) async throws -> any AuthorizationPresenter {
        let presenter = try await agent.prepare(for: responseMode, redirectURI: redirectURI)
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
            try await presenter.present(address.sandboxURL(forPage: url), accepts: accepts)
        }

        func close() async { await presenter.close() }
    }
}
