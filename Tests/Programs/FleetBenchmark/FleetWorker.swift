import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetStoreTestSupport
import Foundation
import HTTPTypes

/// One process of the fleet: so many accounts of its own, each used by one task. Says one byte when it is ready, and how
/// often it did its task when the time is over.
struct FleetWorker {
    static let connections = 4
    private static let accounts = 16

    let address: String
    let name: String
    let task: FleetTask
    let seconds: Double

    func run() async throws {
        let store = try StoreLocation(.postgresql, address).open()
        let client = try StormProvider.client(store, transport: InstantProvider())
        var sessions: [Session] = []
        for number in 0..<Self.accounts {
            let connection = Connection.signedIn("\(name)-\(number)")
            _ = try await store.save(connection, replacing: nil)
            guard let session = try await client.session(for: connection.key.account) else { continue }
            _ = try await session.accessToken()
            sessions.append(session)
        }
        FileHandle.standardOutput.write(Data(".".utf8))
        _ = readLine()
        let end = ContinuousClock.now + .seconds(seconds)
        let done = try await withThrowingTaskGroup(of: Int.self) { [task] group in
            for session in sessions {
                group.addTask {
                    var count = 0
                    while ContinuousClock.now < end {
                        switch task {
                        case .give: _ = try await session.accessToken()
                        case .refresh: try await session.refresh()
                        }
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        print(done)
    }
}

/// Renews without taking time, so that what is measured is this side.
private final class InstantProvider: Transport {
    private let responses = Lock(0)

    func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        let number = responses.withLock { count in
            count += 1
            return count
        }
        let text = """
            {"access_token":"access-\(number)","refresh_token":"refresh-\(number)","token_type":"Bearer",\
            "expires_in":3600}
            """
        return IncomingResponse(
            head: .init(status: .ok, headerFields: [.contentType: "application/json"]), body: Array(text.utf8))
    }
}

extension Connection {
    static func signedIn(_ account: String) -> Connection {
        let now = SystemWallClock().now
        return Connection(
            key: ConnectionKey(provider: StormProvider.key.provider, account: account),
            clientID: "client",
            tokens: TokenSet(
                accessToken: Secret("access-token-of-\(account)"), tokenType: "Bearer",
                refreshToken: Secret("refresh-token-of-\(account)"), scopes: ["read"], issuedAt: now,
                expiresAt: now.addingTimeInterval(3600)),
            binding: CredentialBinding(servers: ["https://acme.example:443"], resources: [])
        )
    }
}
