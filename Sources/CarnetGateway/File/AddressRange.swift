package import CarnetFoundation

/// An address or a range of addresses (RFC 4632, RFC 4291), such as `10.0.0.0/8`.
package struct AddressRange: Hashable, Sendable {
    package let network: IPAddress
    /// How many bits the addresses share.
    package let length: Int
}

extension AddressRange {
    /// - Returns: `nil` for anything else, and for a range whose address is not its first one: whether its author meant the
    ///   address or the range is unclear.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard let first = parts.first, parts.count <= 2, !first.hasPrefix("["), Self.isPlain(first),
            let address = IPAddress(numericHost: first)
        else { return nil }
        let all = address.bytes.count * 8
        guard parts.count == 2 else {
            self.init(network: address, length: all)
            return
        }
        guard parts[1].utf8.allSatisfy(ASCII.isDigit), let length = Int(parts[1]), (0...all).contains(length),
            parts[1] == String(length)
        else { return nil }
        self.init(network: address, length: length)
        guard (length..<all).allSatisfy({ address.bytes[$0 / 8] >> UInt8(7 - $0 % 8) & 1 == 0 }) else { return nil }
    }

    /// Four numbers without zeros in front, or IPv6: `127.1` is an address to systems, and a mistake here.
    private static func isPlain(_ text: String) -> Bool {
        if text.utf8.contains(UInt8(ascii: ":")) { return true }
        let numbers = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return numbers.count == 4
            && numbers.allSatisfy { number in
                (1...3).contains(number.count) && number.allSatisfy(ASCII.isDigit)
                    && (number.count == 1 || number.first != UInt8(ascii: "0"))
            }
    }

    package func contains(_ address: IPAddress) -> Bool { address.isInside(network, length) }

    /// Whether it contains every address of its family.
    var isEverything: Bool { length == 0 }

    static let loopback = [AddressRange("127.0.0.0/8"), AddressRange("::1")].compactMap { $0 }
}

extension IPAddress {
    /// As people write it; IPv6 without its short form.
    var text: String {
        guard bytes.count == 16 else { return bytes.map { String($0) }.joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        return groups.map { String($0, radix: 16) }.joined(separator: ":")
    }
}
