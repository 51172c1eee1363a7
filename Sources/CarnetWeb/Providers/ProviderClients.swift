public import Carnet
import Synchronization

/// The clients that people may sign in with, by provider. They can be replaced while the server runs.
public final class ProviderClients: Sendable {
    private let clients: Mutex<[ProviderID: OAuthClient]>

    public init(_ clients: [OAuthClient]) {
        self.clients = Mutex(Dictionary(clients.map { ($0.provider.id, $0) }) { _, later in later })
    }

    /// In the order of their providers' names.
    public var all: [OAuthClient] {
        clients.withLock { Array($0.values) }.sorted { $0.provider.name.lowercased() < $1.provider.name.lowercased() }
    }

    public subscript(provider: ProviderID) -> OAuthClient? {
        clients.withLock { $0[provider] }
    }

    /// Puts a client in the place of that of the same provider. Sign-ins that wait and sessions go on with it, if it has
    /// the same registration and store.
    public func replace(_ client: OAuthClient) {
        clients.withLock { $0[client.provider.id] = client }
    }
}
