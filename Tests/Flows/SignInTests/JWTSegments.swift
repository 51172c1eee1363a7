import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import Testing

/// The header of a compact JWT (RFC 7519, section 3).
func header(of token: some StringProtocol) throws -> JSONObject { try segment(0, of: token) }

/// The claims of a compact JWT.
func claims(of token: some StringProtocol) throws -> JSONObject { try segment(1, of: token) }

private func segment(_ index: Int, of token: some StringProtocol) throws -> JSONObject {
    let segments = token.split(separator: ".")
    try #require(segments.count == 3)
    let bytes = try #require(Base64URL.decode(segments[index].utf8))
    return try #require(try JSONValue(parsing: bytes).object)
}
