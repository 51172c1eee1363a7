import Carnet
package import CarnetFoundation

/// An open file. It is closed when its value is released, and child processes do not inherit it.
package struct FileDescriptor: ~Copyable {
    package let number: Int32
    private let path: String

    /// - Returns: `nil` if the file does not exist.
    /// - Throws: `TokenStoreError`, `unavailable`.
    package init?(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws {
        number = open(path, flags | O_CLOEXEC, mode)
        self.path = path
        guard number < 0 else { return }
        guard errno == ENOENT else { throw TokenStoreError.system(path) }
        return nil
    }

    deinit { if number >= 0 { close(number) } }

    package func status() throws -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw TokenStoreError.system(path) }
        return status
    }

    /// Reads the whole file.
    ///
    /// - Throws: `TokenStoreError`: `unreadable` if it is longer than `limit`, `unavailable`.
    package func read(limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = buffer.withUnsafeMutableBytes { readBytes(number, $0) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw TokenStoreError.system(path) }
            guard count > 0 else { return bytes }
            bytes += buffer.prefix(count)
            guard bytes.count <= limit else {
                throw TokenStoreError(
                    .unreadable, "\(path) is larger than any file of this store",
                    remedy: PrivateFolder.settingAside(path))
            }
        }
    }

    /// - Throws: `TokenStoreError`, `unavailable`.
    package func write(_ bytes: [UInt8], _ calls: FileSystemCalls) throws {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { calls.write(number, UnsafeRawBufferPointer(rebasing: $0[written...])) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw TokenStoreError.system(path) }
            written += count
        }
        guard calls.sync(number) == 0 else { throw TokenStoreError.system(path) }
    }
}

private func readBytes(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}
