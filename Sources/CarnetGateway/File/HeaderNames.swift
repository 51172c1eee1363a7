import CarnetFoundation
import HTTPTypes

/// Which names an identity header may have.
enum HeaderNames {
    /// What steers the proxy, the connection or the session, so that a value of an account must not be in it.
    private static let reserved: Set = [
        "authorization", "connection", "content-encoding", "content-length", "content-type", "cookie", "expect", "host",
        "keep-alive",
        "location", "proxy-authorization", "proxy-connection", "set-cookie", "te", "trailer", "transfer-encoding",
        "upgrade", "via", "forwarded",
        // The generated configurations send these of a decision to the browser.
        "carnet-decision", "dpop-nonce",
    ]

    static func checked(_ text: String) throws(TextProblem) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else {
            throw TextProblem(
                message: "\"\(text)\" is not the name of a header (RFC 9110, section 5.1)",
                help: "use letters, digits and hyphens, such as X-Auth-User")
        }
        guard !text.utf8.contains(UInt8(ascii: "_")) else {
            throw TextProblem(
                message: "\"\(text)\" has an underscore",
                help: "write \"\(text.replacing("_", with: "-"))\": proxies drop such headers, and programs read both"
                    + " as one, so that a client could forge it")
        }
        guard text.utf8.allSatisfy({ ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") }) else {
            throw TextProblem(
                message: "\"\(text)\" has a character that programs read in different ways",
                help: "use letters, digits and hyphens")
        }
        let lower = text.asciiLowercased
        let describesRequest = lower.hasPrefix("x-forwarded-") || lower.hasPrefix("x-original-")
        guard !reserved.contains(lower), !describesRequest || RemovedHeaders.identifiesSender(lower),
            !lower.hasPrefix("sec-"), !lower.isSameBytes(as: ProxyHeader.secret.asciiLowercased)
        else {
            throw TextProblem(
                message: "\"\(text)\" has a meaning of its own", help: "choose a name such as X-Auth-User")
        }
        return name
    }
}
