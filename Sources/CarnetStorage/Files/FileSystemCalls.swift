package import Carnet
import CarnetFoundation

/// The system calls that write. Tests replace them to simulate a full disk or a crash.
package struct FileSystemCalls: Sendable {
    /// Writes to a file descriptor; returns -1 and sets `errno` on failure.
    package var write: @Sendable (Int32, UnsafeRawBufferPointer) -> Int
    /// Flushes a file, so that it survives a crash.
    package var sync: @Sendable (Int32) -> Int32
    package var rename: @Sendable (_ from: String, _ to: String) -> Int32

    package static let system = Self(
        write: writeBytes,
        sync: { descriptor in
            #if canImport(Darwin)
                // fsync(2) on macOS leaves the bytes in the drive's cache.
                if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
            #endif
            return fsync(descriptor)
        },
        rename: renameFile)
}

// The system calls whose names are also those of members here.

private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

private func renameFile(_ from: String, _ to: String) -> Int32 { rename(from, to) }

extension TokenStoreError {
    /// The error for a failed system call, with the path and the system's message.
    package static func system(_ path: String) -> Self { Self(.unavailable, "\(path): \(SystemError.message(errno))") }
}
