import CarnetDescriptors
import CarnetFoundation
package import CarnetProtocol

/// Keeps registered clients in this process's memory. The next process registers again.
package actor MemoryRegistrationStore: RegistrationStore {
    private var clients: [ByteKey: RegisteredClient] = [:]

    package init() {}

    package func load(_ server: String) -> RegisteredClient? { clients[ByteKey(server)] }

    package func save(_ client: RegisteredClient, for server: String) { clients[ByteKey(server)] = client }
}
