import Carnet

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A folder, and the files in it, that no other user can read or change.
package struct PrivateFolder: Sendable {
    /// Larger than any record can be.
    private static let fileLimit = 16 << 20
    private static let temporarySuffix = ".tmp"

    package let path: String
    package let calls: FileSystemCalls

    package init(path: String, calls: FileSystemCalls = .system) {
        self.path = path
        self.calls = calls
    }

    package func path(of name: String) -> String { "\(path)/\(name)" }

    /// Makes the folder, and those above it, if it does not exist.
    ///
    /// - Throws: `TokenStoreError`, `unavailable`.
    package func create() throws {
        try createIfMissing()
        guard try exists() else { throw TokenStoreError(.unavailable, "\(path) cannot be made") }
    }

    /// Makes the folder, and those above it; one that exists may be anyone's.
    ///
    /// - Throws: `TokenStoreError`, `unavailable`.
    package func createIfMissing() throws {
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            made += made.isEmpty || made.hasSuffix("/") ? String(part) : "/\(part)"
            guard mkdir(made, 0o700) == 0 || errno == EEXIST || errno == EISDIR else {
                // A folder above that exists may be one that nothing can be made in.
                if access(made, F_OK) == 0 { continue }
                throw TokenStoreError.system(made)
            }
        }
    }

    /// Makes an empty file for its owner alone, unless there is one; that has to be the owner's alone too. It is not
    /// opened then, because to close a file frees the locks (POSIX.1) that others in this process have on it.
    ///
    /// - Throws: `TokenStoreError`, `unavailable`.
    package static func createFile(_ path: String) throws {
        var status = stat()
        if lstat(path, &status) != 0 {
            guard errno == ENOENT else { throw TokenStoreError.system(path) }
            let made = open(path, O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if made >= 0 { close(made) }
            guard lstat(path, &status) == 0 else { throw TokenStoreError.system(path) }
        }
        try requireRegular(status, path)
        try requirePrivate(status, path, repair: "chmod 600")
    }

    /// Whether the folder is there, and is private.
    ///
    /// - Throws: `TokenStoreError`, `unavailable`, if it is not a folder, or others may use it.
    package func exists() throws -> Bool {
        guard let folder = try FileDescriptor(path, O_RDONLY | O_DIRECTORY) else { return false }
        try Self.requirePrivate(try folder.status(), path, repair: "chmod 700")
        return true
    }

    private static func requireRegular(_ status: stat, _ path: String) throws {
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw TokenStoreError(.unavailable, "\(path) is not a regular file")
        }
    }

    static func requirePrivate(_ status: stat, _ path: String, repair command: String) throws {
        guard status.st_uid == geteuid() else {
            throw TokenStoreError(.unavailable, "\(path) belongs to another user")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw TokenStoreError(.unavailable, "\(path) can be used by other users; run: \(command) '\(path)'")
        }
    }

    /// - Returns: `nil` if there is no such file.
    /// - Throws: `TokenStoreError`.
    package func read(_ name: String) throws -> [UInt8]? {
        try Self.read(path(of: name))
    }

    /// Reads a file that is private.
    package static func read(_ path: String) throws -> [UInt8]? {
        guard let file = try FileDescriptor(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else { return nil }
        let status = try file.status()
        try requireRegular(status, path)
        try requirePrivate(status, path, repair: "chmod 600")
        return try file.read(limit: fileLimit)
    }

    /// Replaces a file in one step: at any moment, a crash included, the old one or the new one is there, whole.
    ///
    /// - Throws: `TokenStoreError`, `unavailable`; the old file is as it was then.
    package func replace(_ name: String, with bytes: [UInt8]) throws {
        let temporary = path(of: name + Self.temporarySuffix)
        try writeNew(temporary, bytes)
        guard calls.rename(temporary, path(of: name)) == 0 else {
            let error = TokenStoreError.system(path(of: name))
            unlink(temporary)
            throw error
        }
        try sync()
    }

    /// Makes a file in one step, unless there is one.
    ///
    /// - Returns: Whether this call made it.
    package static func create(_ path: String, with bytes: [UInt8], unique: String, _ calls: FileSystemCalls) throws
        -> Bool
    {
        let parent = path.lastIndex(of: "/").map { path[...$0] } ?? "."
        let folder = PrivateFolder(path: String(parent), calls: calls)
        let temporary = "\(path).\(unique)\(temporarySuffix)"
        try folder.writeNew(temporary, bytes)
        defer { unlink(temporary) }
        // Unlike rename(2), link(2) never replaces what another process has made meanwhile.
        if link(temporary, path) == 0 {
            try folder.sync()
            return true
        }
        guard errno == EEXIST else { throw TokenStoreError.system(path) }
        return false
    }

    /// - Returns: Whether there was such a file.
    /// - Throws: `TokenStoreError`, `unavailable`.
    @discardableResult
    package func remove(_ name: String) throws -> Bool {
        guard unlink(path(of: name)) == 0 else {
            guard errno == ENOENT else { throw TokenStoreError.system(path(of: name)) }
            return false
        }
        try sync()
        return true
    }

    /// The names of the files with that suffix, sorted.
    ///
    /// - Throws: `TokenStoreError`, `unavailable`.
    package func names(withSuffix suffix: String) throws -> [String] {
        guard let stream = opendir(path) else { throw TokenStoreError.system(path) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(suffix) { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes what a process that was ended in the middle of a save has left behind. Only for who holds the folder's
    /// lock, without which nobody writes.
    package func removeTemporaryFiles(of suffix: String) throws {
        for name in try names(withSuffix: suffix + Self.temporarySuffix) {
            unlink(path(of: name))
        }
    }

    /// Finds out whether a file of that size can be written in the folder; nothing is left of it.
    ///
    /// - Throws: `TokenStoreError`, `unavailable`.
    package func tryWriting(_ name: String, count: Int) throws {
        let temporary = path(of: name + Self.temporarySuffix)
        try writeNew(temporary, [UInt8](repeating: 0, count: count))
        unlink(temporary)
    }

    private func writeNew(_ path: String, _ bytes: [UInt8]) throws {
        unlink(path)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
        guard let file = try FileDescriptor(path, flags) else { throw TokenStoreError.system(path) }
        do {
            try file.write(bytes, calls)
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Makes the names in the folder survive a crash.
    private func sync() throws {
        guard let folder = try FileDescriptor(path, O_RDONLY | O_DIRECTORY), calls.sync(folder.number) == 0
        else { throw TokenStoreError.system(path) }
    }
}
