import Carnet
import CarnetSandbox

/// A whole sign-in, engine and sandbox in one process.
struct SignIn {
    private struct InProcess: Transport {
        let sandbox: Sandbox

        func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
            let (head, body) = await sandbox.respond(to: request.head, body: request.body)
            return IncomingResponse(head: head, body: body)
        }
    }

    private let sandbox: Sandbox
    private let client: OAuthClient

    init(_ descriptor: ProviderDescriptor) throws {
        let redirectURI = "http://127.0.0.1:49152/callback"
        let inputs = descriptor.exampleInputs()
        sandbox = Sandbox(
            providers: [try descriptor.resolve(inputs: inputs)],
            clients: [SandboxClient(clientID: "benchmark", redirectURIs: [redirectURI])]
        )
        client = try OAuthClient(
            descriptor,
            registration: ClientRegistration(clientID: "benchmark", redirectURI: redirectURI, inputs: inputs),
            transport: InProcess(sandbox: sandbox)
        )
    }

    func run() async throws {
        let request = try await client.beginSignIn()
        let callback = try await sandbox.approve(authorizationURL: request.url)
        let session = try await client.completeSignIn(AuthorizationCallback(url: callback), for: request.pending)
        _ = try await session.profile()
    }
}
