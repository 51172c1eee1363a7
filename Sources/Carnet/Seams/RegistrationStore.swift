public import CarnetProtocol

/// Keeps dynamically registered clients. They contain secrets: store them encrypted, or readable by their owner only.
public protocol RegistrationStore: Sendable {
    /// - Parameter server: The issuer, or the registration endpoint of a server that has none.
    /// - Returns: `nil` if there is no client for the server.
    func load(_ server: String) async throws -> RegisteredClient?

    /// Replaces the client of a server.
    func save(_ client: RegisteredClient, for server: String) async throws
}
