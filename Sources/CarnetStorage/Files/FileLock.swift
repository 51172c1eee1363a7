import Carnet
import CarnetFoundation

/// A lock between processes, and between the tasks of one: one byte of a file, locked through an open file
/// description.
///
/// The system releases it when its process ends in any way. One file has any number of locks and does not grow.
package enum FileLock {
    package typealias Sleep = @Sendable (Duration) async throws -> Void

    /// The number of `F_OFD_SETLK`, which the C library only exposes with its extensions.
    private static let setLockOfOpenFile: Int32 = {
        #if canImport(Darwin)
            90
        #else
            37
        #endif
    }()

    private static let holding = Lock(0)

    /// Whether this process holds any lock, and may so be about to receive or save tokens.
    package static var isAnyHeld: Bool { holding.withLock { $0 > 0 } }

    /// Waits without blocking a thread.
    ///
    /// - Parameters:
    ///   - position: Which byte of the file.
    ///   - patience: How long to wait for another holder.
    /// - Throws: `TokenStoreError`: `locked` after `patience`, not counting time in which this process was stopped;
    /// `unavailable`; `CancellationError`; errors of `body`.
    static func withLock<Result: Sendable>(
        at position: Int64, of path: String, patience: Duration, sleep: Sleep, _ body: () async throws -> Result
    ) async throws -> Result {
        let holder = try await acquire(position, path, patience, sleep)
        holding.withLock { $0 += 1 }
        defer {
            close(holder)
            holding.withLock { $0 -= 1 }
        }
        return try await body()
    }

    /// - Returns: The descriptor that holds the lock until it is closed.
    private static func acquire(
        _ position: Int64, _ path: String, _ patience: Duration, _ sleep: Sleep
    ) async throws -> Int32 {
        var waited = Duration.zero
        var pause = Duration.milliseconds(2)
        while true {
            try Task.checkCancellation()
            if let holder = try tryAcquire(position, path) { return holder }
            guard waited < patience else {
                let holder = FileLockNote.read(path, position)?.description ?? "another process has held it"
                throw TokenStoreError(.locked, "\(path) is still locked after \(patience.inSeconds): \(holder)")
            }
            try await sleep(pause)
            waited += pause
            pause = min(pause * 2, .milliseconds(50))
        }
    }

    private static func tryAcquire(_ position: Int64, _ path: String) throws -> Int32? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw TokenStoreError.system(path) }
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(position)
        range.l_len = 1
        guard fcntl(descriptor, setLockOfOpenFile, &range) == 0 else {
            defer { close(descriptor) }
            guard [EAGAIN, EACCES, EINTR].contains(errno) else { throw TokenStoreError.system(path) }
            return nil
        }
        // A lock on a file that was deleted meanwhile excludes no one.
        var held = stat()
        var named = stat()
        guard fstat(descriptor, &held) == 0, lstat(path, &named) == 0, held.st_ino == named.st_ino else {
            close(descriptor)
            return nil
        }
        FileLockNote(position: position).write(to: descriptor)
        return descriptor
    }
}
