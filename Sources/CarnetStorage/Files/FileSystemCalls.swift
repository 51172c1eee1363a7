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
        write: { descriptor, bytes in
            #if canImport(Darwin)
                Darwin.write(descriptor, bytes.baseAddress, bytes.count)
            #elseif canImport(Glibc)
                Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            #elseif canImport(Musl)
                Musl.write(descriptor, bytes.baseAddress, bytes.count)
            #endif
        },
        sync: { descriptor in
            #if canImport(Darwin)
                // fsync(2) on macOS leaves the bytes in the drive's cache.
                if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
            #endif
            return fsync(descriptor)
        },
        rename: { from, to in
            #if canImport(Darwin)
                Darwin.rename(from, to)
            #elseif canImport(Glibc)
                Glibc.rename(from, to)
            #elseif canImport(Musl)
                Musl.rename(from, to)
            #endif
        }
    )
}

extension TokenStoreError {
    /// The error for a failed system call, with the path and the system's message.
    package static func system(_ path: String) -> Self {
        Self(.unavailable, "\(path): \(SystemError.message(errno))")
    }
}
