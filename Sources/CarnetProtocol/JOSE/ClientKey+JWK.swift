import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

extension ClientKey {
    /// Reads a private key in JWK form (RFC 7517; RFC 7518, section 6; RFC 8037, section 2).
    ///
    /// - Parameters:
    ///   - id: The id of a key without `kid`; the thumbprint if `nil`.
    ///   - source: The name of the place in errors, such as a path.
    /// - Throws: `ClientKeyError`.
    public init(jwk: Secret, id: String? = nil, source: String = "the client's key") throws(ClientKeyError) {
        let keys = try Self.keys(in: jwk, id: id, source: source)
        guard keys.count == 1 else { throw ClientKeyError(source, "contains \(keys.count) keys instead of one") }
        self = keys[0]
    }

    static func keys(inJSON text: Secret, id: String?, source: String) throws(ClientKeyError) -> [ClientKey] {
        guard let json = try? JSONValue(parsing: Array(text.reveal().utf8)), json.object != nil else {
            throw ClientKeyError(source, "is not a JSON object")
        }
        guard let entries = json["keys"] else { return [try ClientKey(json, id: id, source: source)] }
        guard let list = entries.array, !list.isEmpty, list.count <= JSONWebKeySet.maximumCount else {
            throw ClientKeyError(source, "is a key set without keys, or with too many")
        }
        var keys: [ClientKey] = []
        for entry in list { keys.append(try ClientKey(entry, id: nil, source: source)) }
        // RFC 7517, section 4.5: keys of a set have ids of their own.
        guard Set(keys.map(\.id)).count == keys.count else {
            throw ClientKeyError(source, "is a key set in which two keys have the same id")
        }
        return keys
    }

    private init(_ jwk: JSONValue, id: String?, source: String) throws(ClientKeyError) {
        func text(_ name: String) throws(ClientKeyError) -> String? {
            guard let member = jwk[name] else { return nil }
            guard let text = member.string else {
                throw ClientKeyError(source, "has a \"\(name)\" that is not a string")
            }
            return text
        }
        guard let type = try text("kty") else { throw ClientKeyError(source, "is a JWK without \"kty\"") }
        guard type != "oct" else {
            throw ClientKeyError(source, "is a symmetric key", hint: "pass it as the client secret")
        }
        guard jwk["d"] != nil else { throw ClientKeyError(source, "is a public key; a private key is required") }
        // RFC 7518, section 6.3.2.7: a multi-prime key must not be read as one of two primes.
        guard jwk["oth"] == nil else { throw ClientKeyError(source, "is an RSA key with more than two primes") }
        var use: Use?
        if let name = try text("use") {
            use = Use(rawValue: name)
            guard use != nil else {
                throw ClientKeyError(source, "has the unknown use \"\(name.quotable(limit: 20))\"")
            }
        }
        let curve = try text("crv")
        guard let material = try? Material(type, curve: curve, jwk) else {
            throw ClientKeyError(
                source, "is not a usable key of the type \"\(type.quotable(limit: 20))\"",
                hint: "accepted: RSA with at least \(Self.rsaBits.lowerBound) bits, EC with P-256, P-384 or P-521, "
                    + "OKP with Ed25519 or X25519, each with all its members in base64url")
        }
        try self.init(material, id: try text("kid") ?? id, use: use, algorithm: try text("alg"), source: source)
        // Otherwise another party's public key would be published as this client's.
        for name in ["n", "e", "x", "y"] {
            guard try text(name) == publicJWK[name]?.string else {
                throw ClientKeyError(source, "has a public part that does not match its private part")
            }
        }
    }
}

extension ClientKey.Material {
    /// - Throws: The library's error for numbers that are no key.
    fileprivate init?(_ type: String, curve: String?, _ jwk: JSONValue) throws {
        func bytes(_ name: String) -> [UInt8]? { jwk[name]?.string.flatMap { Base64URL.decode($0.utf8) } }
        guard let d = bytes("d") else { return nil }
        switch (type, curve) {
        case ("RSA", _):
            // The library traps on numbers that are not a public key.
            guard let n = bytes("n"), let e = bytes("e"), JSONWebKey.rsa(modulus: n, exponent: e) != nil else {
                return nil
            }
            if let p = bytes("p"), let q = bytes("q") {
                self = .rsa(try _RSA.Signing.PrivateKey(n: n, e: e, d: d, p: p, q: q))
            } else {
                self = .rsa(try _RSA.Signing.PrivateKey._createFromNumbers(n: n, e: e, d: d))
            }
        case ("EC", "P-256"?) where d.count == 32: self = .p256(try P256.Signing.PrivateKey(rawRepresentation: d))
        case ("EC", "P-384"?) where d.count == 48: self = .p384(try P384.Signing.PrivateKey(rawRepresentation: d))
        case ("EC", "P-521"?) where d.count == 66: self = .p521(try P521.Signing.PrivateKey(rawRepresentation: d))
        case ("OKP", "Ed25519"?): self = .ed25519(try Curve25519.Signing.PrivateKey(rawRepresentation: d))
        case ("OKP", "X25519"?): self = .x25519(try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: d))
        default: return nil
        }
    }
}
