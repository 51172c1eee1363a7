import Carnet
import CarnetFoundation
import CarnetProtocol
import CarnetStorage

// Whichever module imports `stat` first on Linux counts as the one that defines it.
#if canImport(CDispatch)
    import CDispatch
#endif

/// Lets root work in a folder of another user as that user: every file keeps its owner, and no link in the folder leads
/// root elsewhere.
///
/// It changes the user and the working folder of the whole process, so only a command that ends soon may use it.
enum FolderUser {
    /// The user of a folder, if that is another than this process, which is root.
    static func other(in folder: String) -> uid_t? {
        var status = stat()
        return geteuid() == 0 && stat(folder, &status) == 0 && status.st_uid != 0 ? status.st_uid : nil
    }

    /// Goes to a folder and becomes its user. The folders above need not be open to that user, as those of a systemd unit with
    /// `DynamicUser` are not.
    ///
    /// - Throws: `TokenStoreError`, `unavailable`.
    static func enter(_ folder: String) throws {
        var status = stat()
        guard chdir(folder) == 0, stat(".", &status) == 0 else { throw TokenStoreError.system(folder) }
        var group = status.st_gid
        guard setgroups(1, &group) == 0, setegid(group) == 0, seteuid(status.st_uid) == 0 else {
            throw TokenStoreError.system(folder)
        }
    }
}
