import Carnet
import CarnetDescriptors
import CarnetSandbox
import CarnetTesting
import Foundation
import Testing

/// The engine on one side, the sandbox impersonating the same descriptor on the other.
struct SignInFixture {
    let client: OAuthClient
    let sandbox: Sandbox
    let clock: ManualClock
    let store: MemoryTokenStore
    let responses = ResponseLog()

    static let redirectURI = "http://127.0.0.1:49152/callback"

    init(
        _ descriptor: ProviderDescriptor,
        inputs: [String: String] = [:],
        environment: String? = nil,
        store: MemoryTokenStore = MemoryTokenStore(),
        clientID: String = "client",
        secret: String? = nil,
        signingKey: ClientKey? = nil,
        certificate: ClientCertificate? = nil,
        decryptionKeys: [ClientKey] = [],
        faults: Set<SandboxFault> = [],
        user: SandboxUser = .sample,
        backChannelLogoutURI: String? = nil,
        frontChannelLogoutURI: String? = nil,
        postLogoutRedirectURI: String? = nil,
        statuses: [String: Int] = [:],
        startingAt start: Date = Date(timeIntervalSince1970: 1_800_000_000)
    ) throws {
        let clock = ManualClock(now: start)
        let provider = try descriptor.resolve(inputs: inputs, environment: environment, clientID: clientID)
        sandbox = Sandbox(
            providers: [provider],
            clients: [
                SandboxClient(
                    clientID: clientID, clientSecret: secret,
                    keys: ([signingKey].compactMap { $0 } + decryptionKeys).map(\.publicJWK),
                    certificate: certificate?.chain.first,
                    redirectURIs: [Self.redirectURI],
                    postLogoutRedirectURIs: [postLogoutRedirectURI].compactMap { $0 },
                    backChannelLogoutURI: backChannelLogoutURI,
                    frontChannelLogoutURI: frontChannelLogoutURI)
            ],
            options: SandboxOptions(approval: .automatic(user), faults: faults),
            now: { clock.now }
        )
        client = try OAuthClient(
            descriptor,
            registration: ClientRegistration(
                clientID: clientID,
                credentials: .available(
                    secret: secret.map(Secret.init), signingKey: signingKey, certificate: certificate,
                    decryptionKeys: decryptionKeys),
                redirectURI: Self.redirectURI,
                postLogoutRedirectURI: postLogoutRedirectURI,
                inputs: inputs,
                environment: environment
            ),
            transport: LoggedTransport(
                transport: SandboxTransport(sandbox), responses: responses, statuses: statuses),
            store: store,
            clock: clock,
            observer: responses
        )
        self.clock = clock
        self.store = store
    }

    func signIn(_ options: AuthorizationOptions = AuthorizationOptions()) async throws -> Session {
        let request = try await client.beginSignIn(options)
        let callback = try await sandbox.approve(authorizationURL: request.url)
        return try await client.completeSignIn(AuthorizationCallback(url: callback), for: request.pending)
    }

    /// Another client of the same sandbox and clock, which waits as a test says.
    func client(_ descriptor: ProviderDescriptor, clock: any WallClock) throws -> OAuthClient {
        try OAuthClient(
            descriptor,
            registration: client.registration,
            transport: LoggedTransport(transport: SandboxTransport(sandbox), responses: responses),
            store: store,
            clock: clock
        )
    }

    /// The requests that reached an endpoint.
    func requests(to endpoint: EndpointName) async -> [SandboxRequest] {
        await sandbox.requests.filter { $0.endpoint == endpoint }
    }
}

/// Reads a descriptor from text.
func descriptor(_ text: String) throws -> ProviderDescriptor {
    let document = DescriptorDocument(SourceFile(path: "test.yaml", text: text))
    return try #require(document.descriptor, "\(document.diagnostics)")
}

/// The parameters of a request's URL query.
func query(of url: String) -> [String: String] {
    let items = URLComponents(string: url)?.queryItems ?? []
    return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
}
