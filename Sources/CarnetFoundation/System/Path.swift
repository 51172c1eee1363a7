/// Questions about paths of files.
package enum Path {
    package static func isFolder(_ path: String) -> Bool { mode(of: path) & S_IFMT == S_IFDIR }

    /// The type and permissions of what is at a path; 0 if there is nothing.
    private static func mode(of path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode : 0
    }

    /// Whether there is nothing at a path, and no link on the way to it whose target is missing.
    package static func isAbsent(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) != 0, errno == ENOENT || errno == ENOTDIR else { return false }
        var part = path
        while !part.isEmpty, part != "/" {
            if lstat(part, &status) == 0 { return stat(part, &status) == 0 }
            part = folder(of: part)
        }
        return true
    }

    /// Whether the permissions of a file or folder let other users of the machine read, write or run it; false if there is none.
    package static func isOpenToOthers(_ path: String) -> Bool { mode(of: path) & 0o077 != 0 }

    /// Whether the permissions let other users of the machine change a file; false if there is none.
    package static func isChangeableByOthers(_ path: String) -> Bool { mode(of: path) & 0o022 != 0 }

    /// The part before the last slash; empty for a name without one.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The same as the system takes it: `.` for a name without a slash.
    package static func parent(of path: String) -> String {
        let folder = folder(of: path)
        return folder.isEmpty ? "." : folder
    }
}
