import CarnetDescriptors
public import CarnetProtocol

/// Keeps registered clients in this process's memory. The next process registers again.
public actor MemoryRegistrationStore: RegistrationStore {
    private var clients: [ByteKey: RegisteredClient] = [:]

    public init() {}

    public func load(_ server: String) -> RegisteredClient? { clients[ByteKey(server)] }

    public func save(_ client: RegisteredClient, for server: String) { clients[ByteKey(server)] = client }
}
