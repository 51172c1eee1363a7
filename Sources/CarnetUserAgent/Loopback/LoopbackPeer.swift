package import CarnetFoundation

/// The program at the other end of a loopback connection.
package enum LoopbackPeer {
    /// Whether the connection may not be one of this user's own programs. Root is allowed, because it may forward a port.
    ///
    /// Only Linux reports it. Elsewhere no connection is rejected.
    ///
    /// Ask directly before the response: a program that waits for one has an open socket then, and a browser does. A
    /// half-closed or closed socket proves nothing, because the kernel shows user 0 for one that has no program any more.
    ///
    /// - Parameter names: The addresses of the connection; `nil` if the other side has reset it.
    package static func isForeign(_ names: (here: SocketName, there: SocketName)?) -> Bool {
        #if os(Linux)
            guard let names else { return true }
            return isForeign(names.there, at: names.here, users: allowedUsers)
        #else
            return false
        #endif
    }

    #if os(Linux)
        /// The kernel writes its table in parts. A row that others move meanwhile may be missing in one reading.
        private static let readings = 3

        static func isForeign(_ there: SocketName, at here: SocketName, users: Set<uid_t>) -> Bool {
            for _ in 0..<readings {
                let text = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { bytes(of: $0) ?? [] }
                // A table without a row lacks this listener too, so it shows nothing.
                guard let table = SocketTable(text) else { return false }
                if let isOpen = table.isOpen(from: there, to: here, of: users) { return !isOpen }
            }
            return true
        }

        package static var allowedUsers: Set<uid_t> {
            allowedUsers(user: geteuid(), map: bytes(of: "/proc/self/uid_map"))
        }

        /// - Parameter map: `/proc/self/uid_map`; `nil` on a kernel without user namespaces.
        static func allowedUsers(user: uid_t, map: [UInt8]?) -> Set<uid_t> {
            let fields = String(decoding: map ?? [], as: UTF8.self).split(whereSeparator: \.isWhitespace)
            let hasAllUsers = map == nil || fields == ["0", "0", "4294967295"]
            // The id for users that the namespace of this process does not have; with all users, it is `nobody`.
            let unmapped: uid_t = 65_534
            return hasAllUsers ? [0, user] : [0, user, unmapped]
        }

        private static func bytes(of path: String) -> [UInt8]? {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { return bytes }
                bytes += buffer.prefix(count)
            }
        }
    #endif
}
