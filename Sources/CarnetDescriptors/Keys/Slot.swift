/// Where a value is in the struct of its section.
///
/// A key path would name it too, but two key paths to one property differ by module: who may not write the property gets
/// another type of key path. Offset and type are the same everywhere.
@usableFromInline
package struct Slot: Hashable, Sendable {
    let offset: Int
    private let type: ObjectIdentifier

    @usableFromInline
    init(offset: Int, type: ObjectIdentifier) {
        self.offset = offset
        self.type = type
    }

    /// - Returns: `nil` for what is computed.
    @inlinable @inline(__always)
    init?<Section, Value>(_ path: KeyPath<Section, Value>) {
        guard let offset = MemoryLayout<Section>.offset(of: path) else { return nil }
        self.init(offset: offset, type: ObjectIdentifier(Value.self))
    }

    /// That of everything computed, which has no place.
    static var computed: Slot { Slot(offset: -1, type: ObjectIdentifier(Never.self)) }

    /// The same in the struct that contains this one's.
    func inside(_ outer: Slot) -> Slot {
        self == .computed || outer == .computed ? .computed : Slot(offset: outer.offset + offset, type: type)
    }
}
