/// A value whose strings are equal only if their bytes are.
///
/// `String` is also equal to other spellings of the same characters, which are other names to a server.
package protocol ComparedByBytes: Hashable {
    func isSameBytes(as other: Self) -> Bool
    func hashBytes(into hasher: inout Hasher)
}

extension ComparedByBytes {
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.isSameBytes(as: rhs) }

    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}
