/// Why a descriptor could not be resolved with the inputs of a registration.
public struct ResolutionError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Hashable, Sendable {
        case missingInput
        case unknownInput
        case badInput
        case unknownEnvironment
        /// A filled URL is not one that may be requested.
        case badURL
    }

    package var kind: Kind
    package var provider: ProviderID
    /// The descriptor key that governs it, e.g. `inputs.domain`.
    public var key: String
    public var reason: String

    public var description: String { "\(provider): \(key): \(reason)" }
}
