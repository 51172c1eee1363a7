public import Carnet
import CarnetDescriptors
import HTTPTypes

/// The provider of the storms: it replaces the refresh token each time, and revokes the family when one comes twice.
public enum StormProvider {
    public static let redirectURI = "http://127.0.0.1:49152/callback"
    public static let key = ConnectionKey(provider: "acme", account: "ada")

    public static func descriptor() throws -> ProviderDescriptor {
        let text = """
            carnet: 1
            id: acme
            name: Acme
            endpoints: { authorization: https://acme.example/authorize, token: https://acme.example/token }
            scopes: { default: [read] }
            """
        let document = DescriptorDocument(SourceFile(path: "acme.yaml", text: text))
        guard let descriptor = document.descriptor else { throw StoreLocation.Unknown() }
        return descriptor
    }

    public static func client(
        _ store: any TokenStore,
        transport: any Transport,
        limits: TransportLimits = TransportLimits(),
        clock: (any WallClock)? = nil
    ) throws -> OAuthClient {
        try OAuthClient(
            try descriptor(),
            registration: ClientRegistration(clientID: "client", redirectURI: redirectURI),
            transport: transport,
            store: store,
            limits: limits,
            clock: clock
        )
    }
}

/// Sends every request to a sandbox on this machine.
public struct SandboxBoundTransport: Transport {
    let base: String
    let transport: any Transport

    /// - Parameter base: Host and port of the sandbox.
    public init(base: String, transport: any Transport) {
        self.base = base
        self.transport = transport
    }

    public func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        var request = request
        let head = request.head
        request.head.scheme = "http"
        request.head.authority = base
        request.head.path = "/\(head.authority ?? "")\(head.path ?? "")"
        var response = try await transport.send(request, limits: limits)
        // The storms move their own clocks, of which the sandbox knows nothing.
        response.head.headerFields[.date] = nil
        return response
    }
}
