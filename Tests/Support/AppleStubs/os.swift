// Written from Apple's public documentation, to type-check on Linux. Nothing here is run.

public struct OSAllocatedUnfairLock<State>: Sendable {
    public init(initialState: State) where State: Sendable {}
    public init(uncheckedState initialState: State) {}
    public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R {
        preconditionFailure()
    }
    public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R { preconditionFailure() }
}
