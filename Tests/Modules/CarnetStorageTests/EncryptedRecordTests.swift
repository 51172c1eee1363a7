import Carnet
import CarnetProtocol
import CarnetStorage
import Foundation
import Testing

@Suite("Encrypted record")
struct EncryptedRecordTests {
    private let key: EncryptionKey
    private let connection = Connection(
        key: ConnectionKey(provider: "acme", account: "ada"),
        clientID: "client",
        tokens: TokenSet(
            accessToken: Secret("s3cret"), tokenType: "Bearer", scopes: ["openid"],
            issuedAt: Date(timeIntervalSince1970: 1_767_225_600)),
        binding: CredentialBinding(servers: [], resources: [])
    )

    init() throws {
        key = try EncryptionKey([UInt8](0..<32))
    }

    private func encrypted(with key: EncryptionKey? = nil) throws -> [UInt8] {
        try EncryptedRecord.encrypt(connection, with: KeyRing(key ?? self.key), nonce: [UInt8](repeating: 1, count: 12))
    }

    private func open(_ bytes: [UInt8], _ ring: KeyRing) throws -> Connection {
        try EncryptedRecord(bytes, at: "x").decrypt(of: connection.key, with: ring, at: "x")
    }

    @Test("Encrypted record opens")
    func recordIsDecrypted() throws {
        #expect(try open(try encrypted(), KeyRing(key)) == connection)
    }

    @Test("Every changed byte is noticed")
    func everyChangedByteIsNoticed() throws {
        let encrypted = try encrypted()
        for index in encrypted.indices {
            var changed = encrypted
            changed[index] ^= 1
            #expect(throws: TokenStoreError.self, "byte \(index)") { try open(changed, KeyRing(key)) }
        }
    }

    @Test("Every prefix is unreadable")
    func everyPrefixIsUnreadable() throws {
        let encrypted = try encrypted()
        for count in encrypted.indices {
            #expect(throws: TokenStoreError.self, "\(count) bytes") {
                try open(Array(encrypted[..<count]), KeyRing(key))
            }
        }
    }

    @Test("Any key of the ring opens")
    func anyKeyOfTheRingOpens() throws {
        let newer = try EncryptionKey([UInt8](repeating: 9, count: 32))
        #expect(try open(try encrypted(), KeyRing(newer, others: [key])) == connection)
        #expect(try EncryptedRecord(try encrypted(with: newer), at: "x").keyID == newer.id)
    }

    @Test("Unknown key is named by its ID")
    func unknownKeyIsNamedByItsID() throws {
        let other = try EncryptionKey([UInt8](repeating: 9, count: 32))
        let error = #expect(throws: TokenStoreError.self) { try open(try encrypted(), KeyRing(other)) }
        #expect(error?.kind == .unreadable)
        #expect(
            error?.reason
                == "x is encrypted with the key \(key.id), and the store has the key \(other.id): add the missing key")
    }

    @Test("Record of another account is rejected")
    func recordOfAnotherAccountIsRefused() throws {
        let eve = ConnectionKey(provider: "acme", account: "eve")
        let record = try EncryptedRecord(try encrypted(), at: "x")
        #expect(throws: TokenStoreError.self) { try record.decrypt(of: eve, with: KeyRing(key), at: "x") }
    }

    /// The client is part of the name: another client's record with a forged name does not open.
    @Test("Client is bound")
    func clientIsBound() throws {
        let encrypted = try encrypted()
        let text = Array(#""client":"client""#.utf8)
        let place = try #require(encrypted.firstRange(of: text))
        var forged = encrypted
        forged.replaceSubrange(place, with: Array(#""client":"clienT""#.utf8))
        #expect(throws: TokenStoreError.self) { try open(forged, KeyRing(key)) }
    }

    @Test("Newer format asks for a newer version")
    func newerFormatAsksForANewerVersion() throws {
        var encrypted = try encrypted()
        encrypted[8] = 3
        let error = #expect(throws: TokenStoreError.self) { try open(encrypted, KeyRing(key)) }
        #expect(
            error?.reason
                == "x has the format 3, and this version reads formats up to 2: use a newer version of the program")
    }
}
