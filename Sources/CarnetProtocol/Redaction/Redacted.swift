/// A value that holds a secret, or what is left of one that did. Interpolation, `dump` and reflection show its summary and nothing else.
///
/// The witnesses are public, because the protocols are: a host prints these values, and never sees this protocol.
package protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What may be shown to anybody.
    var summary: String { get }
}

extension Redacted {
    public var description: String { summary }
    public var debugDescription: String { summary }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
