/// A value behind one reference, so that a copy counts this reference instead of one for each string of the value. A
/// change copies the value.
@usableFromInline
@frozen
package struct Shared<Value: Sendable>: Sendable {
    @usableFromInline
    final class Box: Sendable {
        @usableFromInline let value: Value

        @inlinable
        init(_ value: consuming Value) { self.value = value }
    }

    @usableFromInline var box: Box

    @inlinable
    package init(_ value: consuming Value) { box = Box(value) }

    @inlinable
    package var value: Value {
        _read { yield box.value }
        _modify {
            var changed = box.value
            yield &changed
            box = Box(changed)
        }
    }
}

extension Shared: Equatable where Value: Equatable {
    @inlinable
    package static func == (one: Shared, other: Shared) -> Bool { one.box === other.box || one.value == other.value }
}

extension Shared: Hashable where Value: Hashable {
    @inlinable
    package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

/// A type whose members are those of a shared value.
@usableFromInline
@dynamicMemberLookup
package protocol SharedValue {
    associatedtype Members: Sendable
    var shared: Shared<Members> { get set }
}

extension SharedValue {
    @inlinable @inline(__always)
    package subscript<Member>(dynamicMember member: WritableKeyPath<Members, Member>) -> Member {
        get { shared.value[keyPath: member] }
        set { shared.value[keyPath: member] = newValue }
    }

    /// For members that other modules only read.
    @inlinable @inline(__always)
    package subscript<Member>(dynamicMember member: KeyPath<Members, Member>) -> Member {
        shared.value[keyPath: member]
    }
}
