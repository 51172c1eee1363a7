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
        guard let field = fields.first else { return nil }
        let bytes = Array(field.utf8)
        guard let space = bytes.place(of: UInt8(ascii: " ")) else { return nil }
        switch String(decoding: bytes[..<space], as: UTF8.self).lowercased() {
        case "bearer": isDPoP = false
        case "dpop": isDPoP = true
        default: return nil
        }
        let value = bytes[(space + 1)...]
        guard value.count <= ReceivedLimit.token, Self.isToken(value) else {
            throw .malformed("the Authorization field is not one scheme with one token")
        }
        token = Secret(String(decoding: value, as: UTF8.self))
        guard isDPoP else {
            proof = nil
            return
        }
        let proofs = HTTPField.Name("DPoP").map { request.headerFields[values: $0] } ?? []
        guard proofs.count <= 1 else { throw .malformed("the request has several DPoP fields") }
        proof = proofs.first.map(Secret.init)
    }

    /// Whether bytes are a `token68` (RFC 9110, section 11.2).
    private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while rest.last == UInt8(ascii: "=") { rest.removeLast() }
        return !rest.isEmpty && rest.allSatisfy { ASCII.isUnreserved($0) || $0 == 0x2B || $0 == 0x2F }
    }

    private static func hasTokenInQuery(_ request: HTTPRequest) -> Bool {
        guard let path = request.path, let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) else { return false }
        let query = String(path[mark...].dropFirst())
        guard let pairs = PercentEncoding.decodeForm(query) else { return query.holds("access_token") }
        return pairs.contains { $0.name == "access_token" }
    }
}
