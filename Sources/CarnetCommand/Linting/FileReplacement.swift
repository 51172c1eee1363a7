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
        let isOwnedAlike = status.st_uid == geteuid() && status.st_gid == getegid()
        let temporary = try NewFiles.temporary(beside: path, shownAs: path, bytes) { file in
            fchmod(file, status.st_mode & 0o7777) == 0
                && (isOwnedAlike || fchown(file, status.st_uid, status.st_gid) == 0)
        }
        guard rename(temporary, path) == 0 else {
            let error = TokenStoreError.system(path)
            unlink(temporary)
            throw error
        }
    }

    private func writeInPlace(_ bytes: [UInt8]) throws {
        guard let file = try FileDescriptor(path, O_WRONLY) else { throw TokenStoreError.system(path) }
        try file.write(bytes, .system)
        guard ftruncate(file.number, off_t(bytes.count)) == 0 else { throw TokenStoreError.system(path) }
    }
}
