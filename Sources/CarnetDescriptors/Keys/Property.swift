/// A property of a section, as the table of keys reads and writes it.
///
/// A key path is an object that is made and interpreted at run time. For a stored property the compiler makes an offset of
/// it, if this is inlined.
enum Property<Section, Value>: Sendable {
    case stored(Slot)
    case computed(any WritableKeyPath<Section, Value> & Sendable)

    @inline(__always)
    init(_ path: any WritableKeyPath<Section, Value> & Sendable) {
        if let slot = Slot(path) { self = .stored(slot) } else { self = .computed(path) }
    }

    var slot: Slot {
        if case .stored(let slot) = self { slot } else { .computed }
    }

    func value(in section: Section) -> Value {
        switch self {
        case .stored(let slot):
            withUnsafePointer(to: section) { UnsafeRawPointer($0).load(fromByteOffset: slot.offset, as: Value.self) }
        case .computed(let path): section[keyPath: path]
        }
    }

    func modify(in section: inout Section, _ body: (inout Value) -> Void) {
        switch self {
        case .stored(let slot):
            withUnsafeMutablePointer(to: &section) {
                body(&(UnsafeMutableRawPointer($0) + slot.offset).assumingMemoryBound(to: Value.self).pointee)
            }
        case .computed(let path): body(&section[keyPath: path])
        }
    }
}
