package import Carnet
package import CarnetFoundation

/// A folder, and its files, that no other user can read or change.
package struct PrivateFolder: Sendable {
    /// Larger than any record.
    private static let fileLimit = 16 << 20
    private static let temporarySuffix = ".tmp"

    package let path: String
    package let calls: FileSystemCalls

    package init(path: String, calls: FileSystemCalls = .system) {
        self.path = path
        self.calls = calls
    }

    package func path(of name: String) -> String { "\(path)/\(name)" }

    /// Creates the folder and its parents, if they do not exist.
    ///
    /// - Throws: `TokenStoreError`, `unavailable`.
    package func create() throws {
        try createIfMissing()
        guard try exists() else { throw TokenStoreError(.unavailable, "\(path) cannot be created") }
    }

    /// Creates the folder and its parents. An existing one may belong to anyone.
    ///
    /// - Throws: `TokenStoreError`, `unavailable`.
    package func createIfMissing() throws {
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            made += made.isEmpty || made.hasSuffix("/") ? String(part) : "/\(part)"
            guard mkdir(made, 0o700) == 0 || errno == EEXIST || errno == EISDIR else {
                let code = errno
                // An existing parent may be read-only.
                if access(made, F_OK) == 0 { continue }
                errno = code
                throw TokenStoreError.system(made)
            }
        }
    }

    /// Creates an empty private file, unless it exists; then it must be private. The existing file is not opened,
    /// because closing it would release the locks of this process (POSIX.1).
    ///
    /// - Throws: `TokenStoreError`, `unavailable`.
    package static func createFile(_ path: String) throws {
        var status = stat()
        if lstat(path, &status) != 0 {
            guard errno == ENOENT else { throw TokenStoreError.system(path) }
            let made = open(path, O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            let code = errno
            if made >= 0 { close(made) }
            guard lstat(path, &status) == 0 else {
                if made < 0 { errno = code }
                throw TokenStoreError.system(path)
            }
        }
        try requireRegular(status, path)
        try requirePrivate(status, path, repair: "chmod 600")
    }

    /// Whether the folder exists and is private.
    ///
    /// - Throws: `TokenStoreError`, `unavailable`, if it is not a folder, or others can use it.
    package func exists() throws -> Bool {
        guard let folder = try FileDescriptor(path, O_RDONLY | O_DIRECTORY) else { return false }
        try Self.requirePrivate(try folder.status(), path, repair: "chmod 700")
        return true
    }

    private static func requireRegular(
        _ status: stat, _ path: String, else kind: TokenStoreError.Kind = .unavailable
    ) throws {
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw TokenStoreError(kind, "\(path) is not a regular file", remedy: settingAside(path))
        }
    }

    static func requirePrivate(
        _ status: stat, _ path: String, of user: uid_t = geteuid(), repair command: String,
        else kind: TokenStoreError.Kind = .unavailable
    ) throws {
        guard status.st_uid == user else { throw TokenStoreError(kind, "\(path) belongs to another user") }
        guard status.st_mode & 0o077 == 0 else {
            let command = "\(command) \(quoted(path))"
            throw TokenStoreError(kind, "\(path) can be used by other users; run: \(command)", remedy: command)
        }
    }

    /// The command that takes a file out of the store's sight and loses nothing.
    package static func settingAside(_ path: String) -> String { "mv \(quoted(path)) \(quoted(path + ".damaged"))" }

    /// A word of a shell's command line.
    private static func quoted(_ path: String) -> String { "'" + path.replacing("'", with: "'\\''") + "'" }

    /// Reads a record. One that is there and cannot be trusted is as unreadable as a damaged one.
    ///
    /// - Returns: `nil` if there is no such file.
    /// - Throws: `TokenStoreError`.
    package func read(_ name: String) throws -> [UInt8]? { try Self.read(path(of: name), untrusted: .unreadable) }

    /// Reads a private file.
    ///
    /// - Parameters:
    ///   - user: Whose it must be.
    ///   - kind: The error of a file that is not private.
    package static func read(
        _ path: String, of user: uid_t = geteuid(), untrusted kind: TokenStoreError.Kind = .unavailable
    ) throws -> [UInt8]? {
        var named = stat()
        // To open a link fails with words that do not name it as one.
        if lstat(path, &named) == 0 { try requireRegular(named, path, else: kind) }
        guard let file = try FileDescriptor(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else { return nil }
        let status = try file.status()
        try requireRegular(status, path, else: kind)
        try requirePrivate(status, path, of: user, repair: "chmod 600", else: kind)
        return try file.read(limit: fileLimit)
    }

    /// Replaces a file atomically: after a crash either the old one or the new one is complete.
    ///
    /// - Throws: `TokenStoreError`, `unavailable`; the old file is then unchanged.
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

    /// Creates a file atomically, unless it exists.
    ///
    /// - Returns: Whether this call created it.
    package static func create(_ path: String, with bytes: [UInt8], unique: String, _ calls: FileSystemCalls) throws
        -> Bool
    {
        let parent = path.lastIndex(of: "/").map { path[...$0] } ?? "."
        let folder = PrivateFolder(path: String(parent), calls: calls)
        let temporary = "\(path).\(unique)\(temporarySuffix)"
        try folder.writeNew(temporary, bytes)
        defer { unlink(temporary) }
        // Unlike rename(2), link(2) never replaces a file that another process has created meanwhile.
        if link(temporary, path) == 0 {
            try folder.sync()
            return true
        }
        guard errno == EEXIST else { throw TokenStoreError.system(path) }
        return false
    }

    /// - Returns: Whether the file existed.
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

    /// Removes the leftovers of a process that ended during a save. Call it only with the folder's lock, without
    /// which nobody writes.
    package func removeTemporaryFiles(of suffix: String) throws {
        for name in try names(withSuffix: suffix + Self.temporarySuffix) { unlink(path(of: name)) }
    }

    /// Checks that a file of that size can be written in the folder, and removes it.
    ///
    /// - Throws: `TokenStoreError`, `unavailable`.
    package func tryWriting(_ name: String, count: Int) throws {
        var named = stat()
        // Anything else is replaced.
        if lstat(path(of: name), &named) == 0, named.st_mode & S_IFMT == S_IFDIR {
            try Self.requireRegular(named, path(of: name))
        }
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

    /// Flushes the folder, so that its names survive a crash.
    private func sync() throws {
        guard let folder = try FileDescriptor(path, O_RDONLY | O_DIRECTORY), calls.sync(folder.number) == 0
        else { throw TokenStoreError.system(path) }
    }
}
