import CarnetFoundation

extension SourceFile {
    /// Reads a regular file.
    ///
    /// The limit is checked before and while reading, because a file can grow in between; a file that is written to in
    /// between is refused, and anything that is not a regular file is refused without waiting for it.
    ///
    /// - Parameter whileReading: Called between the first look at the file and the first byte.
    /// - Throws: `SourceFileError`.
    package init(
        readingFrom path: String, maximumBytes: Int = YAMLLimits().maximumBytes, whileReading: () -> Void = {}
    ) throws(SourceFileError) {
        // A C string would end at the null byte and name another file.
        guard !path.utf8.contains(0) else { throw SourceFileError(path: path, reason: .notFound) }
        // Without O_NONBLOCK, opening a FIFO waits for its writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw SourceFileError(path: path, errorNumber: errno) }
        defer { close(descriptor) }

        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SourceFileError(path: path, errorNumber: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw SourceFileError(path: path, reason: .isDirectory)
        default: throw SourceFileError(path: path, reason: .notRegularFile)
        }
        guard Int(status.st_size) <= maximumBytes else {
            throw SourceFileError(path: path, reason: .tooLarge(maximumBytes: maximumBytes))
        }
        whileReading()
        let bytes = try Self.readAll(
            descriptor, path: path, expected: Int(status.st_size), maximumBytes: maximumBytes)
        var after = stat()
        guard fstat(descriptor, &after) == 0 else { throw SourceFileError(path: path, errorNumber: errno) }
        guard status.isSameContent(as: after) else { throw SourceFileError(path: path, reason: .changed) }
        self.init(path: path, bytes: bytes)
    }

    /// Reads standard input.
    ///
    /// - Throws: `SourceFileError`.
    package init(
        readingStandardInputAs name: String, maximumBytes: Int = YAMLLimits().maximumBytes
    ) throws(SourceFileError) {
        do throws(SourceFileError) {
            let bytes = try Self.readAll(STDIN_FILENO, path: name, expected: 0, maximumBytes: maximumBytes)
            self.init(path: name, bytes: bytes)
        } catch {
            guard case .other = error.reason else { throw error }
            // If it is closed, its number may be that of something else by now, and so would be the system's message.
            throw SourceFileError(path: name, reason: .other("stdin cannot be read"))
        }
    }

    private static func readAll(
        _ descriptor: Int32, path: String, expected: Int, maximumBytes: Int
    ) throws(SourceFileError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            // Read in one go; the size afterwards shows whether the file has grown.
            let capacity = expected > bytes.count ? min(expected - bytes.count, 1 << 20) : 4096
            var (count, failure): (Int, Int32) = (0, 0)
            let chunk = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initialized in
                count = read(descriptor, buffer.baseAddress, capacity)
                if count < 0 { failure = errno }
                initialized = max(count, 0)
            }
            if count == 0 { return bytes }
            guard count > 0 else {
                if failure == EINTR { continue }
                throw SourceFileError(path: path, errorNumber: failure)
            }
            guard bytes.count + count <= maximumBytes else {
                throw SourceFileError(path: path, reason: .tooLarge(maximumBytes: maximumBytes))
            }
            if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
            if bytes.count == expected { return bytes }
        }
    }
}

extension stat {
    fileprivate func isSameContent(as other: stat) -> Bool {
        #if canImport(Darwin)
            let (written, otherWritten) = (st_mtimespec, other.st_mtimespec)
        #else
            let (written, otherWritten) = (st_mtim, other.st_mtim)
        #endif
        return st_size == other.st_size && written.tv_sec == otherWritten.tv_sec
            && written.tv_nsec == otherWritten.tv_nsec
    }
}

extension SourceFileError {
    fileprivate init(path: String, errorNumber: Int32) {
        let reason: Reason =
            switch errorNumber {
            // A folder lists a name that is not UTF-8 with replacement characters, and no file has that name.
            case ENOENT where path.unicodeScalars.contains("\u{FFFD}"): .nameNotUTF8
            case ENOENT, ENOTDIR: .notFound
            case EISDIR: .isDirectory
            case EACCES, EPERM: .permissionDenied
            case ENXIO: .notRegularFile
            default: .other(SystemError.message(errorNumber))
            }
        self.init(path: path, reason: reason)
    }
}
