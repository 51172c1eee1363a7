import Carnet
import CarnetFoundation

/// The process that holds a lock, and since when. The system does not report it for open file description locks.
///
/// The notes are in the locked file, at places computed from the lock's position. Two locks may share a place: a note
/// names its lock, and the latest one wins.
struct FileLockNote {
    private static let length = 64
    private static let places: Int64 = 1024

    let position: Int64
    var process = getpid()
    /// In seconds since 1970.
    var since = Int(SystemWallClock().now.timeIntervalSince1970)

    /// A failed write, for example on a full disk, only makes a message less precise.
    func write(to descriptor: Int32) {
        let text = "\(position) \(process) \(since)\n"
        let bytes = Array(text.utf8.prefix(Self.length))
        _ = pwrite(descriptor, bytes, bytes.count, Self.offset(of: position))
    }

    /// - Returns: `nil` if the latest note is about another lock, or its process has ended.
    static func read(_ path: String, _ position: Int64) -> FileLockNote? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: length)
        let count = pread(descriptor, &bytes, length, offset(of: position))
        let line = bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }
        let numbers = String(decoding: line, as: UTF8.self).split(separator: " ").compactMap { Int64($0) }
        guard numbers.count == 3, numbers[0] == position, let process = pid_t(exactly: numbers[1]),
            process > 0, kill(process, 0) == 0 || errno == EPERM
        else { return nil }
        return FileLockNote(position: position, process: process, since: Int(numbers[2]))
    }

    private static func offset(of position: Int64) -> off_t { off_t(position % places) * off_t(length) }
}

extension FileLockNote: CustomStringConvertible {
    var description: String {
        let time = Date(timeIntervalSince1970: Double(since)).formatted(.iso8601)
        return
            "process \(process) has held it since \(time); if the process is stopped, continue it (kill -CONT \(process)); "
            + "if it hangs, end it (kill \(process))"
    }
}
