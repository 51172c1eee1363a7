public import CarnetFoundation

/// Why a registration's inputs do not fit a descriptor.
public struct ResolutionError: Error, Hashable, Sendable, Described {
    package enum Kind: String, Hashable, Sendable {
        case missingInput
        case unknownInput
        case badInput
        case unknownEnvironment
        /// A filled URL is invalid.
        case badURL
        /// A template uses a value that no key keeps.
        case unknownValue
        /// A key removes a protection of the sign-in without a reason.
        case unprotected
    }

    package var kind: Kind
    package var provider: ProviderID
    /// The descriptor key that controls it, e.g. `inputs.domain`.
    package var key: String
    package var reason: String

    package var summary: String { "\(provider): \(key): \(reason)" }
}
