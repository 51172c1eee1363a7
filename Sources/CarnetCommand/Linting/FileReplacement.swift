import Carnet
import CarnetFoundation
import CarnetStorage

// Whichever module imports `stat` first on Linux counts as the one that defines it.
#if canImport(CDispatch)
    import CDispatch
#endif

/// Replaces the content of a user's file: at any moment, the old content or the new one is there, whole.
///
/// Mode and owner stay. A name that is a link to the file (symbolic or hard) stays one: a file with several names is
/// written in place, because to replace it would leave the others behind.
struct FileReplacement {
    private let path: String
    private let status: stat

    /// - Throws: `TokenStoreError` if there is no such file, or its mode does not allow anyone to write it.
    init(of path: String) throws {
        self.path = URL(filePath: path).resolvingSymlinksInPath().path
        var status = stat()
        guard stat(self.path, &status) == 0 else { throw TokenStoreError.system(self.path) }
        // The superuser could write it all the same.
        guard status.st_mode & 0o222 != 0 else { throw TokenStoreError(.unavailable, "\(path) is read-only") }
        self.status = status
    }

    /// - Throws: `TokenStoreError`; the file is as it was then, unless it has several names.
    func write(_ bytes: [UInt8]) throws {
        guard status.st_nlink == 1 else { return try writeInPlace(bytes) }
        // The same name each time, so that what a killed process left is used up by the next.
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let temporary = path[..<slash] + "." + path[slash...] + ".carnet-fix"
        let name = String(temporary)
        unlink(name)
        guard let file = try FileDescriptor(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW) else {
            throw TokenStoreError.system(name)
        }
        do {
            try file.write(bytes, .system)
            let isOwnedAlike = status.st_uid == geteuid() && status.st_gid == getegid()
            guard fchmod(file.number, status.st_mode & 0o7777) == 0,
                isOwnedAlike || fchown(file.number, status.st_uid, status.st_gid) == 0,
                rename(name, path) == 0
            else { throw TokenStoreError.system(path) }
        } catch {
            unlink(name)
            throw error
        }
    }

    private func writeInPlace(_ bytes: [UInt8]) throws {
        guard let file = try FileDescriptor(path, O_WRONLY) else { throw TokenStoreError.system(path) }
        try file.write(bytes, .system)
        guard ftruncate(file.number, off_t(bytes.count)) == 0 else { throw TokenStoreError.system(path) }
    }
}
