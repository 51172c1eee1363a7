import CarnetCrypto
import CarnetFoundation

extension ClientKey {
    /// Reads a key in PEM form: PKCS#8 (RFC 5958), SEC1 (RFC 5915) or PKCS#1 (RFC 8017, appendix A.1.2).
    ///
    /// - Parameters:
    ///   - id: The key id at the provider; the thumbprint if `nil`.
    ///   - source: The name of the place in errors, such as a path.
    /// - Throws: `ClientKeyError` if it is encrypted, of an unknown type or curve, too small, or not a private key.
    public init(pem: Secret, id: String? = nil, source: String = "the client's key") throws(ClientKeyError) {
        try self.init(pem: pem, id: id, use: nil, source: source)
    }

    package init(
        pem: Secret, id: String? = nil, use: Use?, source: String = "the client's key"
    ) throws(ClientKeyError) {
        let block = try PEMBlock(privateKeyIn: pem.reveal(), source: source)
        guard let material = Material(block) else { throw block.refusal(source) }
        try self.init(material, id: id, use: use, source: source)
    }

    /// Reads a file with a key in PEM form, a JWK, or a key set.
    ///
    /// - Parameter id: The id of a key that names none.
    /// - Throws: `ClientKeyError`.
    package static func keys(
        in text: Secret, id: String? = nil, source: String = "the client's key"
    ) throws(ClientKeyError) -> [ClientKey] {
        guard text.reveal().utf8.count <= maximumLength else {
            throw ClientKeyError(source, "is longer than \(maximumLength) bytes")
        }
        let isJSON = text.reveal().utf8.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
        return isJSON
            ? try keys(inJSON: text, id: id, source: source) : [try ClientKey(pem: text, id: id, source: source)]
    }

    static let maximumLength = 256 * 1024
}

/// The only private key of a PEM file (RFC 7468).
struct PEMBlock {
    let label: String
    let der: [UInt8]

    /// - Throws: `ClientKeyError` that says what the file contains instead of a private key.
    init(privateKeyIn text: String, source: String) throws(ClientKeyError) {
        // A variable or a JSON string often has all lines in one, with \n or a space between them.
        let text = text.replacing("\\n", with: "\n").split(separator: "-----", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("BEGIN ") || $0.hasPrefix("END ") ? "\n-----\($0)-----\n" : String($0) }.joined()
        var blocks: [(label: String, lines: [Substring])] = []
        var isInside = false
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimming { $0.isWhitespace }
            if let label = line.marked("BEGIN") {
                blocks.append((String(label), []))
                isInside = true
            } else if let label = line.marked("END"), label == blocks.last?.label ?? "" {
                isInside = false
            } else if isInside, let last = blocks.indices.last {
                blocks[last].lines.append(line)
            }
        }
        let keys = blocks.filter { $0.label.hasSuffix("PRIVATE KEY") }
        guard let key = keys.first else {
            let found = blocks.first?.label
            throw ClientKeyError(
                source,
                found.map { "contains a \($0.lowercased().quotable(limit: 40)), not a private key" }
                    ?? "is neither a key in PEM form nor a JWK",
                hint: "a PEM file begins with -----BEGIN PRIVATE KEY-----")
        }
        guard keys.count == 1 else { throw ClientKeyError(source, "contains more than one private key") }
        guard key.label != "ENCRYPTED PRIVATE KEY", !key.lines.contains(where: { $0.hasPrefix("Proc-Type:") }) else {
            throw ClientKeyError(
                source, "is encrypted with a passphrase", hint: "decrypt it: openssl pkey -in FILE -out NEW-FILE")
        }
        guard ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"].contains(key.label) else {
            throw ClientKeyError(
                source, "has the unsupported form \(key.label.quotable(limit: 40))",
                hint: "convert it to PKCS#8: openssl pkey -in FILE -out NEW-FILE")
        }
        guard !isInside, let der = Data(base64Encoded: key.lines.joined().filter { !$0.isWhitespace }), !der.isEmpty
        else { throw ClientKeyError(source, "is truncated or damaged") }
        label = key.label
        self.der = Array(der)
    }

    /// Whether the key uses an algorithm of RFC 8410, section 3. The library reads either as the other.
    fileprivate func names(_ algorithm: UInt8) -> Bool { der.prefix(16).contains([0x06, 0x03, 0x2B, 0x65, algorithm]) }

    /// Why the key is unusable, by the object identifiers of its algorithm and curve.
    func refusal(_ source: String) -> ClientKeyError {
        let head = der.prefix(64)
        if label == "RSA PRIVATE KEY" || head.contains([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]) {
            let small = (try? _RSA.Signing.PrivateKey(unsafeDERRepresentation: der))?.keySizeInBits
            return ClientKeyError(
                source,
                small.map { "is an RSA key of \($0) bits; the minimum is \(ClientKey.rsaBits.lowerBound)" }
                    ?? "is not a usable RSA key: fewer than \(ClientKey.rsaBits.lowerBound) bits, or damaged")
        }
        let curves = "P-256, P-384 and P-521 are accepted"
        if der.contains([0x2B, 0x81, 0x04, 0x00, 0x0A]) {
            return ClientKeyError(source, "is a key on the curve secp256k1; \(curves)")
        }
        if label == "EC PRIVATE KEY" || head.contains([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]) {
            return ClientKeyError(source, "is an elliptic-curve key on another curve, or damaged; \(curves)")
        }
        return ClientKeyError(
            source, "is a key of an unknown type, or damaged; RSA, P-256, P-384, P-521, Ed25519 and X25519 are accepted"
        )
    }
}

extension ClientKey.Material {
    fileprivate init?(_ block: PEMBlock) {
        let der = block.der
        if block.label != "EC PRIVATE KEY", let key = try? _RSA.Signing.PrivateKey(derRepresentation: der) {
            self = .rsa(key)
        } else if let key = try? P256.Signing.PrivateKey(derRepresentation: der) {
            self = .p256(key)
        } else if let key = try? P384.Signing.PrivateKey(derRepresentation: der) {
            self = .p384(key)
        } else if let key = try? P521.Signing.PrivateKey(derRepresentation: der) {
            self = .p521(key)
        } else if block.names(0x70), let key = try? Curve25519.Signing.PrivateKey(derRepresentation: der) {
            self = .ed25519(key)
        } else if block.names(0x6E), let key = try? Curve25519.KeyAgreement.PrivateKey(derRepresentation: der) {
            self = .x25519(key)
        } else {
            return nil
        }
    }
}

extension Substring {
    /// The label of a line `-----BEGIN LABEL-----`.
    fileprivate func marked(_ word: String) -> Substring? {
        guard hasPrefix("-----\(word) "), hasSuffix("-----"), count > word.count + 11 else { return nil }
        return dropFirst(word.count + 6).dropLast(5)
    }
}

extension Collection<UInt8> {
    /// Whether these bytes contain others.
    fileprivate func contains(_ bytes: [UInt8]) -> Bool { firstRange(of: bytes) != nil }
}
