package import Carnet
import CarnetDescriptors
package import Logging

extension OAuthClient {
    /// Where an app's developer looks for mistakes.
    package static var appLog: Logger { Logger(label: "carnet") }

    /// A client of a provider that is built in, or whose file is in a folder.
    ///
    /// - Parameter logger: Gets the client's messages, and the reason if the client cannot be made; by default only a warning
    ///   about a secret that other users of the machine can read is logged.
    package convenience init(
        of id: ProviderID, clientID: String?, redirectURI: String?, clients: String?, providers: String?,
        transport: any Transport, store: (any TokenStore)?, usedTokens: (any UsedTokenStore)?, logger: Logger? = nil
    ) throws {
        do {
            let descriptor = try Self.descriptor(of: id, in: providers)
            let registration = try ClientRegistration(
                of: descriptor, clientID: clientID, redirectURI: redirectURI, clients: clients,
                logger: logger ?? Self.appLog)
            try self.init(
                descriptor, registration: registration, transport: transport, store: store, usedTokens: usedTokens,
                logger: logger ?? Logger(label: "carnet", factory: { _ in SwiftLogNoOpLogHandler() }))
        } catch {
            logger?.error(
                "A client cannot be made", metadata: ["provider": "\(id.rawValue)", "reason": "\(error)"])
            throw error
        }
    }

    private static func descriptor(of id: ProviderID, in folder: String?) throws -> ProviderDescriptor {
        var registry = ProviderRegistry.builtIn
        if let folder { try registry.add(folder: folder) }
        do throws(UnknownProviderError) {
            return try registry.descriptor(id)
        } catch {
            guard let file = error.broken else { throw error }
            throw RegistrationError(registry.problems.filter { $0.hasPrefix(file) }.joined(separator: "\n"))
        }
    }

    /// The session of the first stored account.
    package func storedSession() async throws -> Session? {
        for account in try await accounts() {
            if let session = try await session(for: account) { return session }
        }
        return nil
    }
}
