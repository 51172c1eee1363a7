/// Why a private key cannot be used: where it came from and what is wrong, never a byte of it.
public struct ClientKeyError: Error, Hashable, Sendable {
    /// What the caller named as the place that the key came from, such as a path.
    public var source: String
    /// What it is, as the rest of a sentence about the source.
    public var reason: String
    /// What to do about it.
    public var hint: String?

    init(_ source: String, _ reason: String, hint: String? = nil) {
        self.source = source
        self.reason = reason
        self.hint = hint
    }
}

extension ClientKeyError: CustomStringConvertible {
    public var description: String { "\(source) \(reason)" + (hint.map { "; \($0)" } ?? "") }
}
