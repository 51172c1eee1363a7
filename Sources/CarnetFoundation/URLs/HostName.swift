/// A host as every check compares it: in lower case, without the brackets of an IPv6 literal and dots at the end.
///
/// Name servers, systems and proxies read `EXAMPLE.`, `127.1` and `[::ffff:127.0.0.1]` as other spellings of one host.
package struct HostName: Sendable {
    /// The spelling of a number stays: see `address`.
    package let text: String
    private let hasDotAtEnd: Bool

    /// - Parameter host: As in a URL, without the port.
    package init(_ host: some StringProtocol) {
        var bytes = Array(host.utf8)[...]
        if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") { bytes = bytes.dropFirst().dropLast() }
        let count = bytes.count
        while bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        hasDotAtEnd = bytes.count < count
        text = String(decoding: bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// Whether the host is a number, valid or not: it has a colon, or its last part is a number (URL Standard, section 3.5).
    package var isNumeric: Bool {
        guard !text.utf8.contains(UInt8(ascii: ":")) else { return true }
        let start = text.utf8.lastIndex(of: UInt8(ascii: ".")).map { text.utf8.index(after: $0) }
        let last = text.utf8[(start ?? text.startIndex)...]
        guard let first = last.first, ASCII.isDigit(first) else { return false }
        return last.allSatisfy(ASCII.isDigit)
            || last.starts(with: "0x".utf8) && last.dropFirst(2).allSatisfy(ASCII.isHexDigit)
    }

    /// The address of a numeric host, in any spelling that systems accept; `nil` for a name.
    package var address: IPAddress? {
        guard isNumeric else { return nil }
        return text.utf8.contains(UInt8(ascii: ":")) ? IPAddress(ipv6: text) : IPAddress(ipv4: text)
    }

    /// Whether the host is this machine by its spelling: localhost, a name below it (RFC 6761, section 6.3), or a number.
    package var isLoopback: Bool {
        isLocalhost || text.utf8.suffix(Self.below.utf8.count).elementsEqual(Self.below.utf8)
            || address?.isLoopback == true
    }

    /// Whether a URL with this host needs no TLS: no name server is asked where it is.
    ///
    /// With a dot at the end, or a label in front of localhost, systems ask a name server, whose response an attacker
    /// in the network can forge.
    package var needsNoTLS: Bool { !hasDotAtEnd && (isLocalhost || address?.isLoopback == true) }

    private static let below = ".localhost"

    private var isLocalhost: Bool { text.utf8.elementsEqual("localhost".utf8) }
}
