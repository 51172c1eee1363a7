import CarnetDescriptors
import CarnetFoundation

/// The parts of a compact JWS (RFC 7515, section 7.1), not trusted yet.
struct JSONWebSignature {
    let algorithm: String
    let keyID: String?
    let type: String?
    /// The type in lower case and without `application/` (RFC 7515, section 4.1.9).
    let typeName: String?
    /// The public key that the header brings. Only a DPoP proof is checked with it (RFC 9449, section 4.2).
    let ownKey: JSONValue?
    let payload: [UInt8]
    let signature: [UInt8]
    /// The signed bytes: header and payload as received.
    let signingInput: [UInt8]

    /// - Throws: `OAuthError` of kind `malformedToken` or `criticalHeader`.
    init(_ token: Secret, step: OAuthError.Step) throws(OAuthError) {
        let text = Array(token.reveal().utf8)
        func malformed(_ reason: String) -> OAuthError { OAuthError(step, .malformedToken, "the token \(reason)") }
        guard text.count <= ReceivedLimit.token else { throw malformed("is longer than \(ReceivedLimit.token) bytes") }
        Work.count(text.count)
        let dot = UInt8(ascii: ".")
        guard let first = text.place(of: dot), let second = text.place(of: dot, from: first + 1),
            text.place(of: dot, from: second + 1) == nil
        else { throw malformed("is not a signed JWT") }
        guard let headerBytes = Base64URL.decode(text[..<first]),
            let payload = Base64URL.decode(text[(first + 1)..<second]),
            let signature = Base64URL.decode(text[(second + 1)...])
        else { throw malformed("is not base64url") }
        guard let header = try? JSONValue(parsing: headerBytes), header.object != nil else {
            throw malformed("has a header that is not a JSON object")
        }
        guard let algorithm = header["alg"]?.string else { throw malformed("names no algorithm") }
        // RFC 7515, section 4.1.11: the client supports no critical extension.
        if let critical = header["crit"] {
            throw OAuthError(
                step, .criticalHeader,
                "the token requires a critical extension: \(critical.jsonText().quotable(limit: 80))")
        }
        switch header["kid"] {
        case nil: keyID = nil
        case .string(let id) where id.utf8.count <= ReceivedLimit.keyID: keyID = id
        default: throw malformed("has a key id that is not a string")
        }
        switch header["typ"] {
        case nil: (type, typeName) = (nil, nil)
        case .string(let name): (type, typeName) = (name, Self.typeName(name))
        default: throw malformed("has a type that is not a string")
        }
        ownKey = header["jwk"]
        self.algorithm = algorithm
        self.payload = payload
        self.signature = signature
        signingInput = Array(text[..<second])
    }

    private static func typeName(_ type: String) -> String {
        let isPlain = type.withBytes { bytes in
            bytes.allSatisfy { !(0x41...0x5A).contains($0) && $0 != UInt8(ascii: "/") && $0 < 0x80 }
        }
        guard !isPlain else { return type }
        let name = type.lowercased()
        let prefix = "application/"
        return name.utf8.starts(with: prefix.utf8) ? String(Substring(name.utf8.dropFirst(prefix.utf8.count))) : name
    }
}

extension JSONWebSignature {
    private static let maximumCandidates = 8

    /// Checks the signature with the keys that fit its key id and the algorithm that the caller accepts.
    ///
    /// - Parameter name: The token's name in errors.
    /// - Throws: `OAuthError` of kind `keyNotFound`, `badSignature`.
    func check(
        with keys: JSONWebKeySet, _ algorithm: SignatureAlgorithm, step: OAuthError.Step, name: String
    ) throws(OAuthError) {
        let candidates = keys.candidates(keyID: keyID, algorithm: algorithm)
        guard !candidates.isEmpty else {
            throw OAuthError(
                step, .keyNotFound,
                "no key fits \(name), which has " + (keyID.map { "the kid \"\($0.quotable(limit: 40))\"" } ?? "no kid")
                    + " and the algorithm \(algorithm.rawValue): \(keys.shown)", descriptorKey: "endpoints.jwks")
        }
        let isValid = candidates.prefix(Self.maximumCandidates).contains { key in
            key.isValid(signature, for: signingInput, algorithm: algorithm)
        }
        guard isValid else { throw OAuthError(step, .badSignature, "\(name)'s signature is invalid") }
    }
}
