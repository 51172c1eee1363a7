import CarnetDescriptors
import CarnetFoundation

/// Why a private key is unusable. It contains the name of the place and the problem, never a byte of the key.
public struct ClientKeyError: Error, Hashable, Sendable {
    /// The caller's name of the place that the key came from, such as a path.
    package var source: String
    /// The problem, as the rest of a sentence about the source.
    package var reason: String
    /// What to do next.
    package var hint: String?

    init(_ source: String, _ reason: String, hint: String? = nil) {
        self.source = source
        self.reason = reason
        self.hint = hint
    }
}

extension ClientKeyError: Described {
    package var summary: String { "\(source) \(reason)" + (hint.map { "; \($0)" } ?? "") }
}
