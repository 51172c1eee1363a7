public import CarnetProtocol

/// Keeps the clients that registered themselves, for programs that register where they are first needed. What it keeps
/// holds secrets: write it sealed, or for its owner alone.
public protocol RegistrationStore: Sendable {
    /// - Parameter server: The issuer, or the registration endpoint of a server that has none.
    /// - Returns: `nil` if no client was kept for the server.
    func load(_ server: String) async throws -> RegisteredClient?

    /// Keeps a client in the place of the earlier one.
    func save(_ client: RegisteredClient, for server: String) async throws
}
