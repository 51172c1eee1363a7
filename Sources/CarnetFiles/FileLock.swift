import Carnet

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A lock between processes, and between the tasks of one (flock(2)): the system frees it when its holder ends,
/// however it ends.
struct FileLock: Sendable {
    typealias Sleep = @Sendable (Duration) async throws -> Void

    let path: String
    let patience: Duration
    let sleep: Sleep

    /// Waits without holding up a thread.
    ///
    /// - Throws: `TokenStoreError`, `unavailable`, once the patience is at its end; `CancellationError`; whatever
    ///   `body` throws.
    func withLock<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        let holder = try await acquire()
        defer { close(holder) }
        return try await body()
    }

    /// - Returns: The descriptor that holds the lock until it is closed.
    private func acquire() async throws -> Int32 {
        var waited = Duration.zero
        var pause = Duration.milliseconds(2)
        while true {
            try Task.checkCancellation()
            if let holder = try tryAcquire() { return holder }
            guard waited < patience else {
                throw TokenStoreError(
                    .unavailable,
                    "\(path) is locked: another process has held it for \(patience) or longer"
                )
            }
            try await sleep(pause)
            waited += pause
            pause = min(pause * 2, .milliseconds(50))
        }
    }

    private func tryAcquire() throws -> Int32? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw TokenStoreError.system(path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            defer { close(descriptor) }
            guard errno == EWOULDBLOCK || errno == EINTR else { throw TokenStoreError.system(path) }
            return nil
        }
        // A lock on a file that was removed meanwhile excludes nobody.
        var held = stat()
        var named = stat()
        guard fstat(descriptor, &held) == 0, lstat(path, &named) == 0, held.st_ino == named.st_ino else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
