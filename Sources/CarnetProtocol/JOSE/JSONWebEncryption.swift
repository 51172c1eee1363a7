import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

/// The parts of a compact JWE (RFC 7516, section 7.1), not trusted yet.
struct JSONWebEncryption {
    private let header: JSONValue
    private let encryptedKey: [UInt8]
    private let initializationVector: [UInt8]
    private let ciphertext: [UInt8]
    private let tag: [UInt8]
    /// The header as received, which the tag authenticates.
    private let authenticatedData: [UInt8]
    private let step: OAuthError.Step

    private static let maximumCandidates = 8

    /// Whether a token has the five segments of a compact JWE.
    static func hasForm(of token: Secret) -> Bool {
        token.reveal().withBytes { $0.count { $0 == UInt8(ascii: ".") } } == 4
    }

    /// - Throws: `OAuthError` of kind `malformedToken` or `criticalHeader`.
    init(_ token: Secret, step: OAuthError.Step) throws(OAuthError) {
        let text = token.reveal()
        func malformed(_ reason: String) -> OAuthError {
            OAuthError(step, .malformedToken, "the encrypted token \(reason)")
        }
        guard text.utf8.count <= ReceivedLimit.encryptedToken else {
            throw malformed("is longer than \(ReceivedLimit.encryptedToken) bytes")
        }
        Work.count(text.utf8.count)
        guard Self.hasForm(of: token) else { throw malformed("does not have five parts") }
        let segments = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let parts = segments.compactMap { Base64URL.decode($0) }
        guard parts.count == 5 else { throw malformed("is not base64url") }
        guard let header = try? JSONValue(parsing: parts[0]), header.object != nil else {
            throw malformed("has a header that is not a JSON object")
        }
        guard header["crit"] == nil else {
            throw OAuthError(step, .criticalHeader, "the encrypted token requires a critical extension")
        }
        // RFC 8725, section 3.6: decompression may be endless, and compression leaks the content.
        guard header["zip"] == nil else { throw malformed("is compressed") }
        // RFC 7516, section 4.1.12. A profile may be JSON; wherever a JWT is required, the content must be one anyway.
        guard header["cty"].map({ ["jwt", "json", "application/json"].contains($0.string?.lowercased()) }) ?? true
        else { throw malformed("contains neither a JWT nor JSON") }
        self.header = header
        (encryptedKey, initializationVector, ciphertext, tag) = (parts[1], parts[2], parts[3], parts[4])
        authenticatedData = Array(segments[0])
        self.step = step
    }

    /// The signed token, decrypted first where the provider encrypts it.
    ///
    /// - Parameters:
    ///   - encryption: The algorithms it is encrypted with for the client; `nil` for no encryption.
    ///   - isRequired: Whether an unencrypted token is rejected if `encryption` is not `nil`.
    ///   - key: The key that controls its encryption, if it is not below that of the policy.
    /// - Throws: `OAuthError` if the encryption differs from the registered one.
    static func signedToken(
        in token: Secret, _ policy: JWTPolicy, encryptedAs encryption: TokenEncryption?, isRequired: Bool = true,
        for registration: ClientRegistration, key: String? = nil
    ) throws(OAuthError) -> Secret {
        let key = key ?? "\(policy.key).encryption"
        func refused(_ kind: OAuthError.Kind, _ reason: String) -> OAuthError {
            OAuthError(policy.step, kind, "\(policy.name) \(reason)", descriptorKey: key)
        }
        guard hasForm(of: token) else {
            guard encryption == nil || !isRequired else {
                throw refused(
                    .malformedToken, "is not encrypted, but the descriptor or the registration requires encryption")
            }
            return token
        }
        guard let encryption else {
            throw refused(.unsupportedAlgorithm, "is encrypted, and no encryption is configured")
        }
        guard !registration.decryptionKeys.isEmpty else {
            throw refused(.missingClientKey, "is encrypted, and the registration has no key to decrypt it")
        }
        return try JSONWebEncryption(token, step: policy.step)
            .decrypt(with: registration.decryptionKeys, expecting: encryption, key: key)
    }

    /// The content. Its own signature is checked later.
    ///
    /// All failures after the header are one error, so that a server learns nothing from the difference.
    ///
    /// - Throws: `OAuthError` of kind `unsupportedAlgorithm` if the token names other algorithms than those
    /// registered, else `decryptionFailed`.
    func decrypt(
        with keys: [ClientKey], expecting encryption: TokenEncryption, key descriptorKey: String = "id_token.encryption"
    ) throws(OAuthError) -> Secret {
        for (name, expected) in [
            ("alg", encryption.algorithm.rawValue), ("enc", encryption.content.rawValue),
        ] where header[name]?.string != expected {
            let named = header[name]?.string.map { "\"\($0.quotable(limit: 20))\"" } ?? "nothing"
            throw OAuthError(
                step, .unsupportedAlgorithm, "the encrypted token names \(named) as its \(name), not \(expected)",
                descriptorKey: descriptorKey)
        }
        let keyID = header["kid"]?.string
        let fitting = keys.filter { $0.canDecrypt(encryption.algorithm) }
        let named = fitting.filter { key in keyID.map { key.id.isSameBytes(as: $0) } ?? false }
        for key in (named.isEmpty ? fitting : named).prefix(Self.maximumCandidates) {
            if let content = open(with: key, encryption), let text = String(validating: content, as: UTF8.self) {
                return Secret(text)
            }
        }
        throw OAuthError(
            step, .decryptionFailed, "the encrypted token cannot be decrypted with the client's keys",
            descriptorKey: descriptorKey)
    }

    private func open(with key: ClientKey, _ encryption: TokenEncryption) -> [UInt8]? {
        guard
            let contentKey = key.contentKey(
                from: encryptedKey, header: header, algorithm: encryption.algorithm, for: encryption.content),
            contentKey.bitCount == encryption.content.keyLength * 8
        else { return nil }
        return encryption.content.open(
            ciphertext, key: contentKey, initializationVector: initializationVector, tag: tag,
            authenticating: authenticatedData)
    }
}

extension ContentEncryption {
    /// Checks the tag, then decrypts (RFC 7518, sections 5.2.2.2 and 5.3).
    fileprivate func open(
        _ ciphertext: [UInt8], key: SymmetricKey, initializationVector: [UInt8], tag: [UInt8],
        authenticating data: [UInt8]
    ) -> [UInt8]? {
        switch self {
        case .a128GCM, .a256GCM:
            guard initializationVector.count == 12, tag.count == 16,
                let nonce = try? AES.GCM.Nonce(data: initializationVector),
                let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: ciphertext, tag: tag)
            else { return nil }
            return (try? AES.GCM.open(box, using: key, authenticating: data)).map { Array($0) }
        case .a128CBCHS256, .a256CBCHS512:
            let bytes = key.withUnsafeBytes { Array($0) }
            let half = keyLength / 2
            let length = withUnsafeBytes(of: UInt64(data.count * 8).bigEndian) { Array($0) }
            let message = data + initializationVector + ciphertext + length
            let macKey = SymmetricKey(data: bytes.prefix(half))
            let mac =
                self == .a128CBCHS256
                ? Array(HMAC<SHA256>.authenticationCode(for: message, using: macKey))
                : Array(HMAC<SHA512>.authenticationCode(for: message, using: macKey))
            guard initializationVector.count == 16, constantTimeEquals(tag, mac.prefix(half)),
                let vector = try? AES._CBC.IV(ivBytes: initializationVector)
            else { return nil }
            let content = try? AES._CBC.decrypt(ciphertext, using: SymmetricKey(data: bytes.suffix(half)), iv: vector)
            return content.map { Array($0) }
        }
    }
}
