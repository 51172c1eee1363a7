import Carnet
import CarnetDescriptors
import CarnetHummingbird
import CarnetSandbox
import Foundation
import HTTPTypes

/// A web site that signs in to a sandbox in the same process, and a browser that does all that it is asked to.
struct BenchmarkSite {
    static let origin = "http://127.0.0.1:8499"
    private static let descriptor = """
        carnet: 1
        id: acme
        name: Acme
        issuer: https://id.acme.example
        scopes: { default: [openid, profile, email] }

        """

    let web: WebSignIn
    let sandbox: Sandbox

    init(pendingStore: (any PendingStore)? = nil) throws {
        let document = DescriptorDocument(SourceFile(path: "acme.yaml", text: Self.descriptor))
        guard let descriptor = document.descriptor else { throw BenchmarkFailure("\(document.diagnostics)") }
        let callback = Self.origin + "/sign-in/acme/callback"
        let sandbox = Sandbox(
            providers: [try descriptor.resolve(inputs: [:])],
            clients: [SandboxClient(clientID: "client", redirectURIs: [callback])]
        )
        let client = try OAuthClient(
            descriptor,
            registration: ClientRegistration(clientID: "client", redirectURI: callback),
            transport: InProcess(sandbox: sandbox)
        )
        web = try WebSignIn(
            ProviderClients([client]), origin: Self.origin,
            keys: KeyRing(EncryptionKey([UInt8](repeating: 7, count: 32))), pendingStore: pendingStore)
        self.sandbox = sandbox
    }

    private struct InProcess: Transport {
        let sandbox: Sandbox

        func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
            let (head, body) = await sandbox.respond(to: request.head, body: request.body)
            return IncomingResponse(head: head, body: body)
        }
    }
}

struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension Array where Element == Double {
    var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}
