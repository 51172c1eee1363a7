import CarnetFoundation
import NIOCore

/// The user at the other end of a loopback connection.
enum LoopbackPeer {
    /// Whether the system reports another user of this machine. Root is allowed, because it may forward a port.
    ///
    /// Only Linux reports it, in `/proc/net/tcp`. Elsewhere no connection is rejected.
    static func isAnotherUser(_ channel: any Channel) -> Bool {
        #if os(Linux)
            guard let local = channel.localAddress, let remote = channel.remoteAddress, let port = remote.port,
                let user = owner(ofPort: port, connectedTo: local.port ?? 0)
            else { return false }
            return ![0, unmappedUser, geteuid()].contains(user)
        #else
            return false
        #endif
    }

    #if os(Linux)
        /// The id for a user that this process's namespace does not have.
        private static let unmappedUser: uid_t = 65_534
        private static let established = "01"

        private static func owner(ofPort port: Int, connectedTo other: Int) -> uid_t? {
            let digits = String(port, radix: 16, uppercase: true)
            let mark = ":" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + " "
            for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
                for line in lines(of: table) where line.contains(mark) {
                    let columns = line.split(separator: " ")
                    guard columns.count > 7, columns[3] == established, Self.port(columns[1]) == port,
                        Self.port(columns[2]) == other
                    else { continue }
                    return uid_t(columns[7])
                }
            }
            return nil
        }

        /// The port of an address such as `0100007F:1F90`.
        private static func port(_ address: Substring) -> Int? {
            address.split(separator: ":").last.flatMap { Int($0, radix: 16) }
        }

        private static func lines(of path: String) -> [Substring] {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return [] }
            defer { close(descriptor) }
            var text: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                text += buffer.prefix(count)
            }
            return String(decoding: text, as: UTF8.self).split(separator: "\n")
        }
    #endif
}
