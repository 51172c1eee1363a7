import CarnetFoundation

/// An IP address of 4 or 16 bytes.
package struct IPAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The address of a numeric host, in any spelling that systems accept, such as `127.1` and `0x7f000001`.
    package init?(numericHost host: String) {
        let text = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        guard let first = IPAddress.all(of: text, hints: &hints).first else { return nil }
        self = first
    }

    /// - Parameter start: A `sockaddr_in` or `sockaddr_in6`, as the family says; nil for any other family.
    package init?(socketAddress start: UnsafeRawPointer, family: Int32) {
        // The offset of the address.
        let place: Range<Int>
        switch family {
        case AF_INET: place = 4..<8
        case AF_INET6: place = 8..<24
        default: return nil
        }
        bytes = Array(UnsafeRawBufferPointer(start: start, count: place.upperBound).dropFirst(place.lowerBound))
    }

    /// The addresses of a host according to the system's resolver. It may wait for the network.
    package static func lookUp(_ host: String) -> [IPAddress] {
        var hints = addrinfo()
        return all(of: host, hints: &hints)
    }

    private static func all(of host: String, hints: inout addrinfo) -> [IPAddress] {
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [IPAddress] = []
        var next = list
        while let entry = next?.pointee {
            if let address = entry.ai_addr.flatMap({ IPAddress(socketAddress: $0, family: entry.ai_family) }) {
                addresses.append(address)
            }
            next = entry.ai_next
        }
        return addresses
    }

    /// Whether the address is reachable from the Internet: not loopback, private, link-local or reserved, according
    /// to the registries of special-purpose addresses (RFC 6890).
    package var isPublic: Bool {
        if bytes.count == 4 { return !Self.reservedV4.contains { isInside($0.prefix, $0.length) } }
        // An address that contains an IPv4 address is as public as that one.
        for prefix in [Self.mapped, Self.translated] where isInside(prefix, 96) {
            return IPAddress(Array(bytes.suffix(4))).isPublic
        }
        return isInside([0x20], 3) && !Self.reservedV6.contains { isInside($0.prefix, $0.length) }
    }

    /// ::ffff:0:0/96 and 64:ff9b::/96.
    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    private static let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]

    private static let reservedV4: [(prefix: [UInt8], length: Int)] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24),
        ([192, 0, 2], 24), ([192, 88, 99], 24), ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24),
        ([203, 0, 113], 24), ([224], 3),
    ]

    /// In 2000::/3: protocol assignments with Teredo, documentation, and 6to4, which contains IPv4 addresses.
    private static let reservedV6: [(prefix: [UInt8], length: Int)] = [
        ([0x20, 0x01, 0], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x20, 0x02], 16), ([0x3F, 0xFF, 0], 20),
    ]

    /// Whether it is in a network.
    ///
    /// - Parameter length: How many bits the network's addresses share; all if `nil`.
    package func isInside(_ network: IPAddress, _ length: Int?) -> Bool {
        let all = network.bytes.count * 8
        guard bytes.count == network.bytes.count, (0...all).contains(length ?? all) else { return false }
        return isInside(network.bytes, length ?? all)
    }

    package var isLoopback: Bool {
        if bytes.count == 4 { return bytes.first == 127 }
        return isInside(Self.mapped, 96) ? bytes[12] == 127 : bytes == Array(repeating: 0, count: 15) + [1]
    }

    /// Whether it is of 198.18.0.0/15, which no host has (RFC 2544): clients of a VPN resolve every name to one of these,
    /// and resolve the name at the other end.
    package var standsForName: Bool { bytes.count == 4 && isInside([198, 18], 15) }

    private func isInside(_ prefix: [UInt8], _ length: Int) -> Bool {
        (0..<length).allSatisfy { bit in
            let (byte, shift) = (bit / 8, UInt8(7 - bit % 8))
            let expected = byte < prefix.count ? prefix[byte] >> shift & 1 : 0
            return bytes[byte] >> shift & 1 == expected
        }
    }
}
