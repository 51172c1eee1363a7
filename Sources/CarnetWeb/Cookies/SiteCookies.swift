import CarnetDescriptors
import CarnetFoundation

/// The names and attributes of the cookies, as the origin allows them (RFC 6265bis, section 4.1).
struct SiteCookies: Sendable {
    /// What a browser keeps of one cookie, in bytes, its name and attributes included (RFC 6265, section 6.1). It drops
    /// a larger one, and keeps the one that was there before.
    private static let lengthLimit = 4096

    private let isSecure: Bool

    init(origin: WebURL) {
        isSecure = origin.scheme == "https"
    }

    /// How the names of all these cookies begin.
    ///
    /// `__Host-` keeps other hosts and paths of the site from setting it. A browser takes that over https alone; http
    /// is for a developer's own machine.
    var prefix: String { isSecure ? "__Host-carnet-" : "carnet-" }

    var session: String { "\(prefix)session" }

    /// The report of a sign-out.
    var report: String { "\(prefix)signed-out" }

    /// Notes that somebody has signed out.
    var departure: String { "\(prefix)departure" }

    /// What a session of another host of the site must be handed over with.
    var entry: String { "\(prefix)entry" }

    var pendingPrefix: String { "\(prefix)pending-" }

    /// Whether a name belongs to the cookie of a pending sign-in: the prefix, and hexadecimal digits.
    func isPending(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        let digits = bytes.dropFirst(pendingPrefix.utf8.count)
        return bytes.starts(with: pendingPrefix.utf8) && digits.count == Self.pendingDigits
            && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// - Parameter id: Hexadecimal digits.
    func pending(_ id: String) -> String { pendingPrefix + id.prefix(Self.pendingDigits) }

    private static let pendingDigits = 12

    /// The value of a `Set-Cookie` field.
    ///
    /// - Parameter isPosted: Whether it must come with a POST from the provider's page, which only `None` lets pass.
    /// - Returns: `nil` if browsers would not keep it because it is too large.
    func cookie(_ name: String, _ value: String, seconds: Int, isPosted: Bool = false) -> String? {
        var text = "\(name)=\(value); Path=/; Max-Age=\(seconds); HttpOnly"
        if isSecure { text += "; Secure" }
        // Browsers take `None` with `Secure` alone, and let a young cookie without the attribute pass.
        if !isPosted { text += "; SameSite=Lax" } else if isSecure { text += "; SameSite=None" }
        return text.utf8.count <= Self.lengthLimit ? text : nil
    }

    func removal(_ name: String) -> String {
        "\(name)=; Path=/; Max-Age=0; HttpOnly" + (isSecure ? "; Secure" : "") + "; SameSite=Lax"
    }
}
