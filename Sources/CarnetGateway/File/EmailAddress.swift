import CarnetDescriptors
import CarnetFoundation

/// An e-mail address with one `@`, so that every program finds the same domain in it.
package struct EmailAddress {
    /// The address as the provider wrote it.
    package let text: String
    /// As bytes: the part before the `@` is the domain's own matter (RFC 5321, section 2.4).
    let local: String
    /// In lower case, because names of domains have no case (RFC 1034, section 3.1).
    let domain: String

    /// - Returns: `nil` for a local part other than a dot-atom (RFC 5321, section 4.1.2), an address literal, a second `@`, and the
    ///   characters of other routes, `%` and `!` (RFC 5321, appendix F.2): programs disagree about the domain of such an address.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 254, let first = parts.first, let last = parts.last, !first.isEmpty,
            first.allSatisfy({ (0x21...0x7E).contains($0) && !"\"(),:;<>[\\]%!".utf8.contains($0) }),
            !first.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).contains(where: \.isEmpty)
        else { return nil }
        self.text = text
        local = String(decoding: first, as: UTF8.self)
        domain = String(decoding: last, as: UTF8.self).asciiLowercased
        guard RequestHost.isName(domain) else { return nil }
    }

    /// Whether two texts are one address. What is no address is the same as no other.
    package static func isSame(_ one: String, _ other: String) -> Bool {
        guard let one = EmailAddress(one), let other = EmailAddress(other) else { return false }
        return one.isSame(as: other)
    }

    func isSame(as other: EmailAddress) -> Bool {
        local.isSameBytes(as: other.local) && domain.isSameBytes(as: other.domain)
    }
}
