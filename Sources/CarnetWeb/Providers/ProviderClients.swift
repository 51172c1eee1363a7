public import Carnet
import CarnetDescriptors
import CarnetFoundation

/// The clients that users can sign in with, by provider. They can be replaced while the server runs.
public final class ProviderClients: Sendable {
    /// Arranged once for many requests.
    private struct Table {
        private(set) var clients: [ProviderID: OAuthClient]
        private(set) var sorted: [OAuthClient]
        /// The providers with a redirect URI at a path.
        private(set) var callbacks: [ByteKey: [ProviderID]] = [:]
        /// Where browsers come back to from a sign-out.
        private(set) var postLogoutPaths: Set<ByteKey> = []

        /// - Parameter order: The first providers.
        init(_ clients: [ProviderID: OAuthClient], _ order: [ProviderID]) {
            self.clients = clients
            func rank(_ client: OAuthClient) -> (Int, String) {
                (order.firstIndex(of: client.provider.id) ?? order.count, client.provider.name.lowercased())
            }
            sorted = clients.values.sorted { rank($0) < rank($1) }
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

    private let table: Lock<Table>
    private let order: [ProviderID]

    public convenience init(_ clients: [OAuthClient]) { self.init(clients, inOrder: []) }

    /// - Parameter order: The providers that come first on the page, in this order.
    package init(_ clients: [OAuthClient], inOrder order: [ProviderID]) {
        self.order = order
        table = Lock(Table(Dictionary(clients.map { ($0.provider.id, $0) }) { _, later in later }, order))
    }

    /// In the order of the page: by the providers' names, unless another order was given.
    package var all: [OAuthClient] { table.withLock { $0.sorted } }

    package subscript(provider: ProviderID) -> OAuthClient? { table.withLock { $0.clients[provider] } }

    /// Replaces the client of a provider. Pending sign-ins and sessions continue, if registration and store are the
    /// same.
    package func replace(_ client: OAuthClient) { change { $0[client.provider.id] = client } }

    /// Removes a provider. Nobody can sign in with it, and its sessions have no tokens.
    package func remove(_ provider: ProviderID) { change { $0[provider] = nil } }

    private func change(_ edit: (inout [ProviderID: OAuthClient]) -> Void) {
        table.withLock { table in
            var clients = table.clients
            edit(&clients)
            table = Table(clients, order)
        }
    }

    /// The providers with a redirect URI at a path of the site.
    func providers(receivingCallbacksAt path: String) -> [ProviderID] {
        table.withLock { $0.callbacks[ByteKey(path)] ?? [] }
    }

    /// Whether browsers come back to a path from a sign-out.
    func isPostLogoutPath(_ path: String) -> Bool { table.withLock { $0.postLogoutPaths.contains(ByteKey(path)) } }
}
