package import Carnet

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The system calls that write, so that tests can let the disk be full or the machine stop in the middle.
package struct FileSystemCalls: Sendable {
    /// Writes to a file descriptor; -1 and `errno` at failure.
    package var write: @Sendable (Int32, UnsafeRawBufferPointer) -> Int
    /// Makes what was written survive a crash.
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
                // fsync(2) there leaves the bytes in the drive's cache.
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
    /// The last system call failed: names the path and says the system's words.
    package static func system(_ path: String) -> Self {
        Self(.unavailable, "\(path): \(String(cString: strerror(errno)))")
    }
}
