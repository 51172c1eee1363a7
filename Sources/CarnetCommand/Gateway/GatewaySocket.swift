import CarnetFoundation

/// The Unix socket of a gateway, from before it is opened until the gateway waits there.
struct GatewaySocket: Sendable {
    let path: String
    /// Locks the folder, so that of two gateways that start together only one finds no other.
    private let folder: Int32

    /// Prepares the path. The socket of a gateway that no longer runs is replaced when the new one is opened.
    ///
    /// - Throws: `Failure` if a program responds there, or something else than a socket is there.
    init(_ path: String) throws {
        let name = Path.folder(of: path)
        let lock = open(name.isEmpty ? "." : name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        (self.path, folder) = (path, lock)
        if lock >= 0 { flock(lock, LOCK_EX) }
        // Nobody else can connect before the mode is set.
        umask(0o077)
        guard let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType else {
            return
        }
        let isSocket = kind == .typeSocket
        guard isSocket, Self.isAbandoned(path) else {
            close(lock)
            let reason = isSocket ? "another program responds there" : "a file of another kind is there"
            throw Failure(
                .failed, "the socket \(path) cannot be opened: \(reason)",
                next: [(isSocket ? "end that program, or " : "") + "choose another path with --socket"])
        }
    }

    /// Lets the owner and the group of the socket ask, with any umask.
    func hasOpened() {
        chmod(path, 0o660)
        close(folder)
    }

    /// Whether nobody waits for connections. Without the permission to connect, somebody may.
    private static func isAbandoned(_ path: String) -> Bool {
        #if os(Linux)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        let descriptor = socket(AF_UNIX, stream, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return result != 0 && errno == ECONNREFUSED
    }
}
