package import Carnet
import CarnetDescriptors

extension OAuthClient {
    /// A client of a provider that is built in, or whose file is in a folder.
    package convenience init(
        of id: ProviderID, clientID: String?, redirectURI: String?, clients: String?, providers: String?,
        transport: any Transport, store: (any TokenStore)?, usedTokens: (any UsedTokenStore)?
    ) throws {
        var registry = ProviderRegistry.builtIn
        if let providers { try registry.add(folder: providers) }
        let descriptor: ProviderDescriptor
        do throws(UnknownProviderError) {
            descriptor = try registry.descriptor(id)
        } catch {
            guard let file = error.broken else { throw error }
            throw RegistrationError(registry.problems.filter { $0.hasPrefix(file) }.joined(separator: "\n"))
        }
        let registration = try ClientRegistration(
            of: descriptor, clientID: clientID, redirectURI: redirectURI, clients: clients)
        try self.init(
            descriptor, registration: registration, transport: transport, store: store, usedTokens: usedTokens)
    }

    /// The session of the first stored account.
    package func storedSession() async throws -> Session? {
        for account in try await accounts() {
            if let session = try await session(for: account) { return session }
        }
        return nil
    }
}
