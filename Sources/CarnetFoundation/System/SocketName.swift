/// An IP address and a port, as the system's calls have them.
package struct SocketName: Hashable, Sendable {
    /// The beginning of an IPv4 address as IPv6 writes it (RFC 4291, section 2.5.5.2).
    package static let mapping: [UInt32] = [0, 0, UInt32(bigEndian: 0xFFFF)]

    /// The four words of the IPv6 address, in the order of bytes in memory. An IPv4 address is mapped.
    package let words: [UInt32]
    package let port: Int
    let family: Int32

    private init(words: [UInt32], port: Int, family: Int32) {
        (self.words, self.port, self.family) = (words, port, family)
    }

    /// 127.0.0.1.
    package static func ipv4(port: Int) -> Self {
        Self(words: mapping + [UInt32(bigEndian: 0x7F00_0001)], port: port, family: AF_INET)
    }

    /// ::1.
    package static func ipv6(port: Int) -> Self {
        Self(words: [0, 0, 0, UInt32(bigEndian: 1)], port: port, family: AF_INET6)
    }

    /// - Returns: `nil` for an address of another kind, such as a path.
    package init?(_ address: UnsafePointer<sockaddr>) {
        // Where `sockaddr_in` and `sockaddr_in6` have port and address.
        let bytes = UnsafeRawPointer(address)
        let words = { offset, count in
            (0..<count).map { bytes.loadUnaligned(fromByteOffset: offset + 4 * $0, as: UInt32.self) }
        }
        family = Int32(address.pointee.sa_family)
        switch family {
        case AF_INET: self.words = Self.mapping + words(4, 1)
        case AF_INET6: self.words = words(8, 4)
        default: return nil
        }
        port = Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
    }

    /// - Parameter ask: `getsockname` or `getpeername` of a socket.
    init?(_ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) {
        // Has room for both kinds.
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let name = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask($0, &size) == 0 ? Self($0) : nil }
        }
        guard let name else { return nil }
        self = name
    }

    func withAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_in6()
        let isLong = family == AF_INET6
        withUnsafeMutableBytes(of: &address) { bytes in
            let parts = isLong ? words[...] : words[3...]
            bytes.storeBytes(of: UInt16(port).bigEndian, toByteOffset: 2, as: UInt16.self)
            for (index, word) in parts.enumerated() {
                bytes.storeBytes(of: word, toByteOffset: (isLong ? 8 : 4) + 4 * index, as: UInt32.self)
            }
        }
        address.sin6_family = sa_family_t(family)
        let size = isLong ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(size)) }
        }
    }
}
