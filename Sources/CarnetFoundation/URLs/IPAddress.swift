/// An IP address of 4 or 16 bytes.
package struct IPAddress: Hashable, Sendable {
    /// An IPv4 address that is mapped into IPv6 (RFC 4291, section 2.5.5.2) has 4: systems connect to the same address.
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes.count == 16 && bytes.starts(with: Self.mapped) ? Array(bytes.suffix(4)) : bytes
    }

    /// The address of a numeric host, in any spelling that systems accept, such as `127.1` and `0x7f000001`.
    package init?(numericHost host: String) {
        guard let address = HostName(host).address else { return nil }
        self = address
    }

    /// An IPv4 address of one to four numbers, each decimal, octal or hexadecimal, as `inet_aton` and the URL Standard
    /// (section 3.5) read it.
    init?(ipv4 text: some StringProtocol) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count <= 4 else { return nil }
        var value: UInt64 = 0
        for (index, part) in parts.enumerated() {
            // The last number fills the bytes that are left.
            let isLast = index == parts.count - 1
            let bits = isLast ? 8 * (5 - parts.count) : 8
            guard let number = Self.number(part), number >> UInt64(bits) == 0 else { return nil }
            value = value << UInt64(bits) | number
        }
        bytes = (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt64(24 - 8 * $0)) }
    }

    /// - Parameter text: Without brackets and zone.
    init?(ipv6 text: String) {
        var address = in6_addr()
        guard text.utf8.count <= 45, !text.utf8.contains(0), inet_pton(AF_INET6, text, &address) == 1 else {
            return nil
        }
        self.init(withUnsafeBytes(of: &address) { Array($0) })
    }

    /// What limits count as one sender: of an IPv6 address the first 64 bits, because every subscriber chooses the rest
    /// (RFC 6177, section 2).
    package var network: [UInt8] { bytes.count == 16 ? Array(bytes.prefix(8)) : bytes }

    /// The network of an address in text form; the text itself if it is not an address.
    package static func network(of text: String) -> [UInt8] {
        IPAddress(numericHost: String(text.prefix { $0 != "%" }))?.network ?? Array(text.utf8)
    }

    private static func number(_ text: some Collection<UInt8>) -> UInt64? {
        var digits = Array(text)
        var radix = 10
        if digits.first == UInt8(ascii: "0"), digits.count > 1 {
            let isHexadecimal = digits[1] | 0x20 == UInt8(ascii: "x")
            radix = isHexadecimal ? 16 : 8
            digits.removeFirst(isHexadecimal ? 2 : 1)
            // `0x` alone is zero.
            if digits.isEmpty { return 0 }
        }
        // Without a sign, which the initializer takes.
        guard digits.allSatisfy(ASCII.isHexDigit),
            let value = UInt64(String(decoding: digits, as: UTF8.self), radix: radix), value < 1 << 32
        else { return nil }
        return value
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
        self.init(Array(UnsafeRawBufferPointer(start: start, count: place.upperBound).dropFirst(place.lowerBound)))
    }

    /// Whether the address is reachable from the Internet: not loopback, private, link-local or reserved, according
    /// to the registries of special-purpose addresses (RFC 6890).
    package var isPublic: Bool {
        if bytes.count == 4 { return !Self.reservedV4.contains { isInside($0.prefix, $0.length) } }
        // A translated IPv4 address is as public as that one (RFC 6052).
        if isInside(Self.translated, 96) { return IPAddress(Array(bytes.suffix(4))).isPublic }
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
        bytes.count == 4 ? bytes.first == 127 : bytes == Array(repeating: 0, count: 15) + [1]
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
