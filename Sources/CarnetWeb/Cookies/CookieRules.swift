import CarnetDescriptors
import Foundation
package import HTTPTypes

/// The names and attributes of the cookies, as the origin allows them (RFC 6265bis, section 4.1).
struct CookieRules: Sendable {
    private let isSecure: Bool

    init(origin: WebURL) {
        isSecure = origin.scheme == "https"
    }

    /// `__Host-` keeps other hosts and paths of the site from setting it. A browser takes that over https alone; http is
    /// for a developer's own machine.
    private var prefix: String { isSecure ? "__Host-carnet" : "carnet" }

    var session: String { "\(prefix)-session" }

    /// What the page after a sign-out tells.
    var report: String { "\(prefix)-signed-out" }

    var pendingPrefix: String { "\(prefix)-pending-" }

    /// - Parameter isPosted: Whether it must come with a POST from the provider's page, which only `None` lets pass.
    func cookie(_ name: String, _ value: String, seconds: Int, isPosted: Bool = false) -> String {
        var text = "\(name)=\(value); Path=/; Max-Age=\(seconds); HttpOnly"
        if isSecure { text += "; Secure" }
        // Browsers take `None` with `Secure` alone, and let a young cookie without the attribute pass.
        if !isPosted { text += "; SameSite=Lax" } else if isSecure { text += "; SameSite=None" }
        return text
    }

    func removal(_ name: String) -> String {
        cookie(name, "", seconds: 0)
    }
}

/// The cookies of a request: the first of each name, within bounds.
package struct ReceivedCookies {
    private static let countLimit = 100
    private static let lengthLimit = 32_768

    private(set) var all: [(name: String, value: String)] = []

    package init(_ request: HTTPRequest) {
        var length = 0
        for field in request.headerFields[values: .cookie] {
            length += field.utf8.count
            guard length <= Self.lengthLimit else { return }
            for pair in field.split(separator: ";").prefix(Self.countLimit) {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, all.count < Self.countLimit else { continue }
                let name = parts[0].trimmingCharacters(in: .whitespaces)
                guard self[name] == nil else { continue }
                all.append((name, parts[1].trimmingCharacters(in: .whitespaces)))
            }
        }
    }

    package subscript(name: String) -> String? {
        all.first { $0.name == name }?.value
    }
}
