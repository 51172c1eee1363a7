/// A value whose strings are equal only if their bytes are.
///
/// `String` is also equal to other spellings of the same characters, which are other names to a server.
package protocol ComparedByBytes: Hashable {
    associatedtype ComparedBytes: Hashable
    var comparedBytes: ComparedBytes { get }
}

extension ComparedByBytes {
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.comparedBytes == rhs.comparedBytes }

    public func hash(into hasher: inout Hasher) { hasher.combine(comparedBytes) }
}
