public import Carnet
import CarnetDescriptors
import Synchronization

/// The clients that people may sign in with, by provider. They can be replaced while the server runs.
public final class ProviderClients: Sendable {
    /// Arranged once for many requests.
    private struct Table {
        private(set) var clients: [ProviderID: OAuthClient]
        private(set) var sorted: [OAuthClient]
        /// The providers whose answers come to a path.
        private(set) var callbacks: [ByteKey: [ProviderID]] = [:]
        /// Where browsers come back to from a sign-out.
        private(set) var postLogoutPaths: Set<ByteKey> = []

        init(_ clients: [ProviderID: OAuthClient]) {
            self.clients = clients
            sorted = clients.values.sorted { $0.provider.name.lowercased() < $1.provider.name.lowercased() }
            for client in sorted {
                if let path = try? WebURL(client.registration.redirectURI).path {
                    callbacks[ByteKey(path), default: []].append(client.provider.id)
                }
                if let uri = client.registration.postLogoutRedirectURI, let path = try? WebURL(uri).path {
                    postLogoutPaths.insert(ByteKey(path))
                }
            }
        }
    }

    private let table: Mutex<Table>

    public init(_ clients: [OAuthClient]) {
        table = Mutex(Table(Dictionary(clients.map { ($0.provider.id, $0) }) { _, later in later }))
    }

    /// In the order of their providers' names.
    public var all: [OAuthClient] { table.withLock { $0.sorted } }

    public subscript(provider: ProviderID) -> OAuthClient? { table.withLock { $0.clients[provider] } }

    /// Puts a client in the place of that of the same provider. Sign-ins that wait and sessions go on with it, if it has
    /// the same registration and store.
    public func replace(_ client: OAuthClient) {
        change { $0[client.provider.id] = client }
    }

    /// Nobody signs in with the provider any more, and its sessions open nothing.
    public func remove(_ provider: ProviderID) {
        change { $0[provider] = nil }
    }

    private func change(_ edit: (inout [ProviderID: OAuthClient]) -> Void) {
        table.withLock { table in
            var clients = table.clients
            edit(&clients)
            table = Table(clients)
        }
    }

    /// The providers whose answers come to a path of the site.
    func providers(answeringAt path: String) -> [ProviderID] { table.withLock { $0.callbacks[ByteKey(path)] ?? [] } }

    /// Whether browsers come back to a path from a sign-out.
    func isPostLogoutPath(_ path: String) -> Bool { table.withLock { $0.postLogoutPaths.contains(ByteKey(path)) } }
}
