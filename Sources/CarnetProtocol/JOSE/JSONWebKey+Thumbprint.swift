import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

extension JSONWebKey {
    /// The SHA-256 thumbprint of a public key (RFC 7638); `nil` for one that lacks a member.
    static func thumbprint(of jwk: JSONValue) -> String? {
        let names: [String]
        switch jwk["kty"]?.string {
        case "RSA"?: names = ["e", "kty", "n"]
        case "EC"?: names = ["crv", "kty", "x", "y"]
        case "OKP"?: names = ["crv", "kty", "x"]
        default: return nil
        }
        var members = JSONObject()
        for name in names { members[name] = jwk[name]?.string.map { .string($0) } }
        return members.members.count == names.count ? thumbprint(members) : nil
    }

    /// - Parameter members: The required members in the order of their names (RFC 7638, section 3.2).
    static func thumbprint(_ members: JSONObject) -> String {
        Base64URL.encode(SHA256.hash(Array(JSONValue.object(members).jsonText().utf8)))
    }
}
