import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetProtocol

/// All that the client of a provider depends on. A reload keeps a client whose parts are the same, because only its memory
/// may have refreshed tokens that the store could not save.
struct GatewayClientParts: Equatable {
    private let registrations: [SourceFile?]
    private let texts: [ByteKey?]
    private let inputs: [ByteKey: ByteKey]
    private let secret: Secret?

    /// - Parameters:
    ///   - secret: The client secret of the gateway file.
    ///   - registrations: The clients files, the files that they name, and the descriptors.
    init(_ provider: GatewayProvider, _ secret: Secret?, origin: String, _ registrations: [SourceFile?]) {
        self.registrations = registrations
        let texts = [
            origin, provider.id.rawValue, provider.clientID, provider.clientIDVariable, provider.environment,
            provider.returnsAfterSignOut ? GatewayPaths.signedOut : nil,
        ]
        self.texts = (texts + provider.scopes).map { $0.map { ByteKey($0) } }
        inputs = Dictionary(provider.inputs.items.map { (ByteKey($0.name), ByteKey($0.value)) }) { $1 }
        self.secret = secret
    }
}
