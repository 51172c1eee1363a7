import Carnet
import CarnetDemo
import CarnetProtocol
import CarnetSandbox
import CarnetStoreTestSupport
import CarnetTesting
import Foundation

/// A strict provider on a socket of this process, a store, and one account in it.
final class Storm: Sendable {
    let sandbox: Sandbox
    let location: StoreLocation
    private let server: Task<Void, any Error>
    private let base: String
    private let storage: TemporaryStorage?

    init(
        _ kind: StoreLocation.Kind,
        in cluster: PostgreSQLCluster? = nil,
        at given: StoreLocation? = nil,
        lease: Int = 10_000
    ) async throws {
        storage = try given == nil ? TemporaryStorage(kind, in: cluster, lease: lease) : nil
        guard let location = given ?? storage?.location else { throw StoreLocation.Unknown() }
        self.location = location
        let sandbox = Sandbox(
            providers: [try StormProvider.descriptor().resolve()],
            clients: [SandboxClient(clientID: "client", redirectURIs: [StormProvider.redirectURI])]
        )
        self.sandbox = sandbox
        let (addresses, found) = AsyncStream<String>.makeStream()
        server = Task {
            defer { found.finish() }
            try await SandboxServer(sandbox: sandbox) { found.yield($0.base.authority) }.run()
        }
        var base = ""
        for await address in addresses {
            base = address
            break
        }
        self.base = base
    }

    deinit {
        server.cancel()
    }

    func client(_ store: any TokenStore, clock: any WallClock = SystemWallClock()) throws -> OAuthClient {
        try StormProvider.client(store, transport: InProcessTransport(sandbox: sandbox), clock: clock)
    }

    func signIn(_ store: (any TokenStore)? = nil, clock: any WallClock = SystemWallClock()) async throws {
        let client = try client(try store ?? location.open(), clock: clock)
        let request = try await client.beginSignIn()
        let callback = try await sandbox.approve(authorizationURL: request.url)
        _ = try await client.completeSignIn(
            AuthorizationCallback(url: callback), for: request.pending, account: StormProvider.key.account)
    }

    func worker() throws -> WorkerProcess {
        try WorkerProcess([base] + location.arguments)
    }

    /// The refreshes that reached the provider. It remembers the latest thousand requests.
    func refreshes() async -> Int {
        await sandbox.requests.filter { $0.endpoint == .token || $0.endpoint == .refresh }.filter {
            String(decoding: $0.body, as: UTF8.self).contains("grant_type=refresh_token")
        }.count
    }

    private struct InProcessTransport: Transport {
        let sandbox: Sandbox

        func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
            let (head, body) = await sandbox.respond(to: request.head, body: request.body)
            return IncomingResponse(head: head, body: body)
        }
    }
}
