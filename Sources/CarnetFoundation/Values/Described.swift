/// A value whose description is one sentence, such as an error.
///
/// The witness is public, because the protocol is: a host prints these values, and never sees this protocol.
package protocol Described: CustomStringConvertible {
    var summary: String { get }
}

extension Described {
    public var description: String { summary }
}
