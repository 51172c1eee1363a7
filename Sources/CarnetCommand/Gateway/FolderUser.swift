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
    /// Whether this process is root, and the folder belongs to another user.
    static func differs(in folder: String) -> Bool {
        var status = stat()
        return geteuid() == 0 && stat(folder, &status) == 0 && status.st_uid != 0
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

    /// Runs a body as the user of a folder, in that folder.
    ///
    /// - Throws: As `enter`; errors of `body`.
    static func acting<Result>(in folder: String, _ body: () async throws -> Result) async throws -> Result {
        let place = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(place) }
        func leave() {
            // What root gave up is root's again.
            guard seteuid(0) == 0, setegid(0) == 0 else { return }
            _ = fchdir(place)
        }
        do {
            try enter(folder)
            let result = try await body()
            leave()
            return result
        } catch {
            leave()
            throw error
        }
    }
}
