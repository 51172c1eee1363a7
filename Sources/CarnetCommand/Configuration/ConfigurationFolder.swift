import CarnetFoundation
import CarnetLint
import CarnetStorage

// Whichever module imports `stat` first on Linux counts as the one that defines it.
#if canImport(CDispatch)
    import CDispatch
#endif

/// The user's configuration folder. It decides where the user's credentials are sent, so only the user may write to
/// it.
struct ConfigurationFolder {
    private let environment: HostEnvironment
    private let path: String

    init(_ environment: HostEnvironment) {
        self.environment = environment
        path = environment.configurationFolder
    }

    var providers: String { path + "/providers" }
    /// The descriptors of resources at which somebody signed in by URL.
    var resources: String { path + "/resources" }

    /// Makes the folder, for the user alone, if it does not exist.
    ///
    /// - Throws: `TokenStoreError` if it cannot be made.
    func create() throws {
        try PrivateFolder(path: path).createIfMissing()
    }

    /// Finds out whether anybody else can write to the folder or to what is read from it.
    ///
    /// - Throws: `Failure` that says what it is, whose, and the command that repairs it.
    func check() throws {
        let files = ["clients.yaml", "key", "sandbox-key"].map { "\(path)/\($0)" }
        for path in [path, providers, resources] + descriptors + files {
            try check(path)
        }
    }

    /// Only of the folder itself: what cannot be listed is reported where it is read.
    private var descriptors: [String] {
        [providers, resources].flatMap { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }.sorted().map { "\(folder)/\($0)" }
        }
    }

    private func check(_ path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        let shown = environment.shortened(path)
        // Root can change any file anyway.
        guard [geteuid(), 0].contains(status.st_uid) else {
            let user = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) } ?? "\(status.st_uid)"
            throw Failure(
                .usage, "\(shown) belongs to the user \(user), who could redirect credentials with it",
                next: ["take ownership: sudo chown \(geteuid()) \(path.shellWord)", "or move it elsewhere"])
        }
        guard status.st_mode & 0o022 == 0 else {
            let writers = status.st_mode & 0o002 == 0 ? "its group" : "everybody"
            throw Failure(
                .usage, "\(shown) can be changed by \(writers), who could redirect credentials with it",
                next: ["check its content, then run: chmod go-w \(path.shellWord)"])
        }
    }
}
