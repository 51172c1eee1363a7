import CarnetFoundation
import NIOCore

extension Failure {
    /// Where a server waits for connections.
    enum Listener {
        case port(Int, of: String = "127.0.0.1", option: String = "--port")
        case file(String)
    }

    /// Runs a server, and says in one way that its port cannot be had.
    ///
    /// - Throws: `Failure`; `CancellationError` once the server has ended because its task was cancelled.
    static func explaining(_ listener: Listener, serve: () async throws -> Void) async throws {
        do {
            try await serve()
        } catch is CancellationError {
            throw CancellationError()
        } catch let failure as Failure {
            throw failure
        } catch {
            try Task.checkCancellation()
            // A host that no resolver knows.
            let isUnknown = error is SocketAddressError.UnknownHost
            throw failure(of: listener, for: isUnknown ? EADDRNOTAVAIL : (error as? IOError)?.errnoCode)
        }
    }

    /// - Parameter code: Of the system; `nil` if it is unknown.
    private static func failure(of listener: Listener, for code: CInt?) -> Failure {
        switch listener {
        case .port(let port, let host, let option):
            let (reason, next) =
                switch code {
                case EADDRNOTAVAIL: ("\(host) is no address of this machine", "an address of this machine")
                case EACCES, EPERM: ("the system does not allow it", "a port above 1023 with \(option)")
                case EADDRINUSE: ("it is in use", "another port with \(option)")
                default: ("it is in use or not allowed", "another port with \(option)")
                }
            return Failure(.failed, "port \(port) of \(host) cannot be opened: \(reason)", next: ["choose \(next)"])
        case .file(let path):
            let folder = Path.folder(of: path)
            let isLost = !folder.isEmpty && !Path.isFolder(folder)
            let reason =
                isLost
                ? "the folder \(folder) does not exist"
                : path.utf8.count > 103
                    ? "its path is longer than 103 bytes" : "it is in use, or its folder does not allow it"
            return Failure(
                .failed, "the socket \(path) cannot be opened: \(reason)",
                next: [(isLost ? "make the folder, or " : "") + "choose another path with --socket"])
        }
    }

    /// Finds out before a long start whether a port can be had.
    ///
    /// - Throws: `Failure` if it cannot.
    static func checkPort(_ port: Int) throws {
        #if os(Linux)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw failure(of: .port(port), for: errno) }
    }
}
