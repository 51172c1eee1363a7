#if canImport(os)
    public import os
#else
    public import Synchronization
#endif

/// A value that one thread at a time may use.
///
/// On Apple platforms the lock is `OSAllocatedUnfairLock` (iOS 16): `Synchronization.Mutex` needs iOS 18. See
/// `Docs/decisions/locks.md`.
@usableFromInline
package struct Lock<Value: Sendable>: ~Copyable, Sendable {
    #if canImport(os)
        @usableFromInline let lock: OSAllocatedUnfairLock<Value>
    #else
        @usableFromInline let lock: Mutex<Value>
    #endif

    package init(_ value: Value) {
        #if canImport(os)
            lock = OSAllocatedUnfairLock(initialState: value)
        #else
            lock = Mutex(value)
        #endif
    }

    /// Runs `body` while no other thread is inside.
    @inlinable
    package func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        #if canImport(os)
            // The system's function rethrows without the type of the error.
            let outcome: Swift.Result<Result, Failure> = lock.withLockUnchecked { value in
                do throws(Failure) {
                    return .success(try body(&value))
                } catch {
                    return .failure(error)
                }
            }
            return try outcome.get()
        #else
            return try lock.withLock { (value) throws(Failure) -> Result in try body(&value) }
        #endif
    }
}
