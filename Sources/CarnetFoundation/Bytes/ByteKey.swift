/// A string as a key of a dictionary or an element of a set: equal to no other bytes.
///
/// `String` is hashed and compared by canonical equivalence, so two identifiers of a provider could be one key.
package struct ByteKey: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (lhs: Self, rhs: Self) -> Bool { lhs.text.isSameBytes(as: rhs.text) }

    package func hash(into hasher: inout Hasher) {
        text.withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // So that two keys are not one when what a hasher is given runs together.
        hasher.combine(UInt8(0xFF))
    }
}
