import Carnet
import CarnetFoundation
import CarnetLint
import CarnetStorage

// Whichever module imports `stat` first on Linux counts as the one that defines it.
#if canImport(CDispatch)
    import CDispatch
#endif

/// Files that a command makes: all of them are written, whole, or none.
enum NewFiles {
    struct File {
        let path: String
        let bytes: [UInt8]
        /// Whether only its owner may read it.
        var isPrivate = false
    }

    /// - Parameters:
    ///   - replacing: Whether files that are there are replaced; a link stays one to the file that it names.
    ///   - next: The advice if a file is there.
    /// - Throws: `Failure` if a file is there, `TokenStoreError` if one cannot be written.
    static func write(_ files: [File], replacing: Bool = false, next: String = "") throws {
        let existing = files.map(\.path).filter { !Path.isAbsent($0) }
        guard replacing || existing.isEmpty else {
            let verb = existing.count == 1 ? "exists" : "exist"
            throw Failure(
                .usage, "\(existing.joined(separator: ", ")) already \(verb), and nothing is written", next: [next])
        }
        var temporaries: [String] = []
        defer { for path in temporaries { unlink(path) } }
        for file in files { temporaries.append(try prepare(file)) }
        var made: [String] = []
        for (temporary, file) in zip(temporaries, files) {
            guard replacing ? rename(temporary, target(file.path)) == 0 : create(file.path, from: temporary) else {
                let error = TokenStoreError.system(file.path)
                for path in made { unlink(path) }
                throw error
            }
            if !replacing { made.append(file.path) }
        }
        for folder in Set(files.map { Path.parent(of: target($0.path)) }) {
            guard let open = try FileDescriptor(folder, O_RDONLY | O_DIRECTORY), fsync(open.number) == 0 else {
                throw TokenStoreError.system(folder)
            }
        }
    }

    /// Writes new texts in the folder of `--output`.
    ///
    /// - Throws: `Failure` if it is no folder, if a file is there, or if one cannot be written.
    static func write(_ texts: [(path: String, text: String)], in folder: String, next: String) throws {
        try checkFolder(folder)
        try explaining { try write(texts.map { File(path: $0.path, bytes: Array($0.text.utf8)) }, next: next) }
    }

    /// - Parameter mishap: The beginning of a message.
    /// - Throws: `Failure` for a `TokenStoreError` of `write`.
    static func explaining(_ mishap: String = "", _ write: () throws -> Void) throws {
        do {
            try write()
        } catch let error as TokenStoreError {
            throw Failure(.broken, mishap + error.reason)
        }
    }

    /// - Throws: `Failure` if `--output` names no folder.
    static func checkFolder(_ folder: String) throws {
        guard !Path.isFolder(folder) else { return }
        let next = Path.isAbsent(folder) ? "create it: mkdir -p \(folder.shellWord)" : "name a folder"
        throw Failure(.usage, "--output \(folder): no such folder", next: [next])
    }

    /// Checks that a file can be written, and changes nothing.
    ///
    /// - Throws: `TokenStoreError`.
    static func check(_ file: File) throws {
        unlink(try prepare(file))
    }

    /// - Returns: The path of a file beside it, with what is to be written.
    private static func prepare(_ file: File) throws -> String {
        let target = target(file.path)
        guard !Path.isFolder(target) else { throw TokenStoreError(.unavailable, "\(file.path) is a folder") }
        return try temporary(beside: target, shownAs: file.path, file.bytes) {
            file.isPrivate || fchmod($0, 0o644) == 0
        }
    }

    /// Writes a file beside another one, for rename(2).
    ///
    /// - Parameters:
    ///   - path: The path in errors.
    ///   - finish: Sets mode and owner of the open file; `false` if the system refuses.
    /// - Returns: Its path.
    static func temporary(
        beside target: String, shownAs path: String, _ bytes: [UInt8], _ finish: (Int32) -> Bool
    ) throws -> String {
        let folder = Path.parent(of: target)
        // The same name each time, so that what a killed process left is used up by the next.
        let temporary =
            "\(folder)/.\(target.dropFirst(target.hasPrefix(folder + "/") ? folder.count + 1 : 0)).carnet-new"
        unlink(temporary)
        guard let open = try FileDescriptor(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW) else {
            throw TokenStoreError.system(path)
        }
        do {
            try open.write(bytes, .system)
            guard finish(open.number) else { throw TokenStoreError.system(path) }
        } catch {
            unlink(temporary)
            throw error
        }
        return temporary
    }

    /// Replaces the content of a user's file: at any moment, the old content or the new one is there, whole.
    ///
    /// Mode and owner stay. A name that is a link to the file (symbolic or hard) stays one: a file with several names
    /// is written in place, because to replace it would leave the others behind.
    ///
    /// - Throws: `TokenStoreError` if there is no such file, if its mode does not allow anyone to write it, or if it
    ///   cannot be written; the file is as it was then, unless it has several names.
    static func replaceContent(of name: String, with bytes: [UInt8]) throws {
        let path = target(name)
        var status = stat()
        guard stat(path, &status) == 0 else { throw TokenStoreError.system(path) }
        // The superuser could write it all the same.
        guard status.st_mode & 0o222 != 0 else { throw TokenStoreError(.unavailable, "\(name) is read-only") }
        guard status.st_nlink == 1 else {
            guard let file = try FileDescriptor(path, O_WRONLY) else { throw TokenStoreError.system(path) }
            try file.write(bytes, .system)
            guard ftruncate(file.number, off_t(bytes.count)) == 0 else { throw TokenStoreError.system(path) }
            return
        }
        let isOwnedAlike = status.st_uid == geteuid() && status.st_gid == getegid()
        let temporary = try temporary(beside: path, shownAs: path, bytes) { file in
            fchmod(file, status.st_mode & 0o7777) == 0
                && (isOwnedAlike || fchown(file, status.st_uid, status.st_gid) == 0)
        }
        guard rename(temporary, path) == 0 else {
            let error = TokenStoreError.system(path)
            unlink(temporary)
            throw error
        }
    }

    private static func create(_ path: String, from temporary: String) -> Bool {
        // Unlike rename(2), link(2) never replaces a file that another process has created meanwhile. Some file systems
        // have no links.
        link(temporary, path) == 0 || (errno != EEXIST && Path.isAbsent(path) && rename(temporary, path) == 0)
    }

    /// The file that a path names, also by links.
    private static func target(_ path: String) -> String { URL(filePath: path).resolvingSymlinksInPath().path }
}
