import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

/// Encrypts a signed token for a client: a compact JWE (RFC 7516, section 7.1).
struct EncryptedToken {
    let algorithm: KeyManagementAlgorithm
    let content: ContentEncryption
    let seams: Seams

    /// - Returns: `nil` if the key is not of the algorithm's family.
    func make(_ token: String, for key: RegisteredKey) throws -> String? {
        var header: JSONValue = [
            "alg": .string(algorithm.rawValue), "enc": .string(content.rawValue), "cty": "JWT",
        ]
        if let id = key.id { header.set(.string(id), at: JSONPointer(tokens: ["kid"])) }
        var contentKey = seams.randomBytes(content.keyLength)
        var encryptedKey: [UInt8] = []
        switch algorithm {
        case .rsaOAEP, .rsaOAEP256:
            let padding: _RSA.Encryption.Padding = algorithm == .rsaOAEP ? .PKCS1_OAEP : .PKCS1_OAEP_SHA256
            guard let encrypted = try key.encrypted(contentKey, padding) else { return nil }
            encryptedKey = encrypted
        case .ecdhES, .ecdhESA128KW, .ecdhESA256KW:
            guard let (ephemeral, secret) = try key.agreement() else { return nil }
            header.set(ephemeral, at: JSONPointer(tokens: ["epk"]))
            switch algorithm {
            case .ecdhESA128KW: encryptedKey = try wrap(contentKey, derived(secret, algorithm.rawValue, 16))
            case .ecdhESA256KW: encryptedKey = try wrap(contentKey, derived(secret, algorithm.rawValue, 32))
            default: contentKey = derived(secret, content.rawValue, content.keyLength)
            }
        }
        let protected = Base64URL.encode(header.jsonText().utf8)
        let (vector, ciphertext, tag) = try seal(Array(token.utf8), contentKey, Array(protected.utf8))
        return ([protected] + [encryptedKey, vector, ciphertext, tag].map { Base64URL.encode($0) })
            .joined(separator: ".")
    }

    private func wrap(_ key: [UInt8], _ wrapping: [UInt8]) throws -> [UInt8] {
        Array(try AES.KeyWrap.wrap(SymmetricKey(data: key), using: SymmetricKey(data: wrapping)))
    }

    /// RFC 7518, section 4.6.2, without the names of the parties.
    private func derived(_ secret: SharedSecret, _ name: String, _ length: Int) -> [UInt8] {
        let shared = secret.withUnsafeBytes { Array($0) }
        let info =
            number(name.utf8.count) + Array(name.utf8) + number(0) + number(0) + number(length * 8)
        let rounds = (1...2).flatMap { round in Array(SHA256.hash(data: number(round) + shared + info)) }
        return Array(rounds.prefix(length))
    }

    private func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }

    private func seal(
        _ text: [UInt8], _ key: [UInt8], _ header: [UInt8]
    ) throws -> (vector: [UInt8], ciphertext: [UInt8], tag: [UInt8]) {
        switch content {
        case .a128GCM, .a256GCM:
            let vector = seams.randomBytes(12)
            let box = try AES.GCM.seal(
                text, using: SymmetricKey(data: key), nonce: .init(data: vector), authenticating: header)
            return (vector, Array(box.ciphertext), Array(box.tag))
        case .a128CBCHS256, .a256CBCHS512:
            let vector = seams.randomBytes(16)
            let half = key.count / 2
            let ciphertext = Array(
                try AES._CBC.encrypt(
                    text, using: SymmetricKey(data: key.suffix(half)), iv: .init(ivBytes: vector)))
            let message = header + vector + ciphertext + number(0) + number(header.count * 8)
            let macKey = SymmetricKey(data: key.prefix(half))
            let mac =
                content == .a128CBCHS256
                ? Array(HMAC<SHA256>.authenticationCode(for: message, using: macKey))
                : Array(HMAC<SHA512>.authenticationCode(for: message, using: macKey))
            return (vector, ciphertext, Array(mac.prefix(half)))
        }
    }
}
