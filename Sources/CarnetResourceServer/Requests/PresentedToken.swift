import CarnetFoundation
import CarnetProtocol
import HTTPTypes

/// The access token in the Authorization header of a request, with the proof that came with it.
struct PresentedToken {
    let token: Secret
    let isDPoP: Bool
    let proof: Secret?

    /// The only place where a token is accepted is the Authorization header. A token in the query ends up in logs (RFC 9700,
    /// section 4.3.2); a second token, or one in a second place, makes it unclear which counts (RFC 6750, section 2).
    ///
    /// - Returns: `nil` for a request without a token.
    /// - Throws: `AccessProblem.malformed`.
    init?(of request: HTTPRequest) throws(AccessProblem) {
        let fields = request.headerFields[values: .authorization]
        guard fields.count <= 1 else { throw .malformed("the request has several Authorization fields") }
        guard !Self.hasTokenInQuery(request) else { throw .malformed("the access token is in the query of the URL") }
        guard let field = fields.first, let space = field.utf8.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        switch String(field[..<space]).lowercased() {
        case "bearer": isDPoP = false
        case "dpop": isDPoP = true
        default: return nil
        }
        let value = String(Substring(field.utf8[space...].dropFirst()))
        guard value.utf8.count <= ReceivedLimit.token, value.withBytes(Self.isToken) else {
            throw .malformed("the Authorization field is not one scheme with one token")
        }
        token = Secret(value)
        guard isDPoP else {
            proof = nil
            return
        }
        let proofs = HTTPField.Name("DPoP").map { request.headerFields[values: $0] } ?? []
        guard proofs.count <= 1 else { throw .malformed("the request has several DPoP fields") }
        proof = proofs.first.map(Secret.init)
    }

    /// Whether bytes are a `token68` (RFC 9110, section 11.2).
    private static func isToken(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var rest = bytes[...]
        while rest.last == UInt8(ascii: "=") { rest.removeLast() }
        guard !rest.isEmpty else { return false }
        /// Not zero if there is another byte. Without an exit, the compiler compares many bytes with one instruction.
        var others: UInt8 = 0
        for byte in UnsafeBufferPointer(rebasing: rest) {
            let letter: UInt8 = (byte | 0x20) &- 0x61 < 26 ? 1 : 0
            let digit: UInt8 = byte &- 0x2D < 13 ? 1 : 0  // And - . /
            let plus: UInt8 = byte == 0x2B ? 1 : 0
            let underscore: UInt8 = byte == 0x5F ? 1 : 0
            let tilde: UInt8 = byte == 0x7E ? 1 : 0
            others |= 1 ^ (letter | digit | plus | underscore | tilde)
        }
        return others == 0
    }

    private static func hasTokenInQuery(_ request: HTTPRequest) -> Bool {
        guard let path = request.path, let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) else { return false }
        let query = String(Substring(path.utf8[mark...].dropFirst()))
        guard query.holds("access_token") || query.holds(UInt8(ascii: "%")) else { return false }
        guard let pairs = PercentEncoding.decodeForm(query) else { return query.holds("access_token") }
        return pairs.contains { $0.name == "access_token" }
    }
}
