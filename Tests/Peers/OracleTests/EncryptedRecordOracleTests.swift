#if canImport(COpenSSL)
    import Carnet
    import CarnetProtocol
    import CarnetStorage
    import Foundation
    import Testing

    /// Records that one side encrypts and the other decrypts.
    @Suite("Encrypted record oracle")
    struct EncryptedRecordOracleTests {
        @Test("Are the same to both sides")
        func areTheSameToBothSides() throws {
            let random = RandomCases(seed: 40)
            var wrong = 0
            for number in 0..<1000 {
                let secret = random.bytes(32)
                let ring = KeyRing(try EncryptionKey(secret))
                let token = random.bytes(20).map { String($0, radix: 16) }.joined()
                let connection = Connection(
                    key: ConnectionKey(provider: "acme", account: "user-\(number)"), clientID: "client",
                    tokens: TokenSet(
                        accessToken: Secret(token), tokenType: "Bearer", scopes: [],
                        issuedAt: Date(timeIntervalSince1970: 0)),
                    binding: CredentialBinding(servers: [], resources: []))
                let nonce = random.bytes(12)
                var bytes = try EncryptedRecord.encrypt(connection, with: ring, nonce: nonce)
                let nameLength = bytes[17..<21].reduce(0) { $0 << 8 | Int($1) }
                let header = Array(bytes.prefix(21 + nameLength))
                let box = bytes.dropFirst(header.count)
                let opened = try OracleCipher.openGCM(
                    Array(box.dropFirst(12).dropLast(16)), tag: Array(box.suffix(16)), key: secret,
                    nonce: Array(box.prefix(12)), data: header)
                guard let opened, String(decoding: opened, as: UTF8.self).contains(token),
                    Array(box.prefix(12)) == nonce
                else {
                    wrong += 1
                    continue
                }
                let other = random.bytes(12)
                let encrypted = try OracleCipher.sealGCM(opened, key: secret, nonce: other, data: header)
                bytes = header + other + encrypted.ciphertext + encrypted.tag
                let read = try EncryptedRecord(bytes, at: "record").decrypt(
                    of: connection.key, with: ring, at: "record")
                if read.tokens.accessToken.reveal() != token { wrong += 1 }
                bytes[random.number(bytes.count - header.count) + header.count] ^= 1 << UInt8(random.number(8))
                #expect(throws: TokenStoreError.self) {
                    try EncryptedRecord(bytes, at: "record").decrypt(of: connection.key, with: ring, at: "record")
                }
            }
            #expect(wrong == 0)
        }
    }
#endif
