import CarnetDescriptors
import CarnetFoundation

struct PrivateAddress: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "E041", name: "private-address", severity: .warning,
        summary: "A URL contains a private or link-local IP address.",
        rationale: """
            Such an address is a different machine in every network. A shared descriptor would send codes and secrets \
            to whichever machine has the address. It could also make a server call addresses that only the server can \
            reach, such as a cloud's metadata service. Use a host name or an input.
            """,
        references: ["RFC 1918, section 3", "RFC 3927, section 2", "OpenID Connect Discovery 1.0, section 7.2"],
        bad: [
            "issuer: https://⟦10.0.0.5⟧:8443/realm",
            "discovery_url: https://⟦169.254.169.254⟧/metadata\nissuer: https://id.acme.example",
            "issuer: https://⟦[fd00::1]⟧",
        ],
        good: ["issuer: http://127.0.0.1:8080", "issuer: https://192.0.2.1", "issuer: https://10.acme.example"])

    let isReminder = true

    func check(_ context: LintContext) -> [Diagnostic] {
        context.urls.compactMap { url in
            guard Self.isPrivate(url.host) else { return nil }
            return finding(
                "\(url.name) is at the private address \(url.host)", in: context,
                at: context.span(of: url.host, in: url.node), help: "use a host name, or an input of type hostname")
        }
    }

    private static func isPrivate(_ host: Substring) -> Bool {
        guard let first = host.utf8.first, first == UInt8(ascii: "[") || ASCII.isDigit(first),
            let address = HostName(host).address
        else { return false }
        // Unique local and link-local addresses of IPv6 (RFC 4193, section 3.1; RFC 4291, section 2.5.6).
        return switch (address.bytes.count, address.bytes[0], address.bytes[1]) {
        case (4, 10, _), (4, 192, 168), (4, 172, 16...31), (4, 169, 254), (4, 0, _): true
        case (16, 0xFC...0xFD, _), (16, 0xFE, 0x80...0xBF): true
        default: false
        }
    }
}
