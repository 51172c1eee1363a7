import Carnet
import CarnetProtocol
import CarnetStorage
import CarnetTestSupport
import CarnetTesting
import Foundation

/// Records as they lie in a store: what was changed does not open, and says so.
struct RecordTarget: FuzzTarget {
    private let encrypted: [UInt8]
    private let key = ConnectionKey(provider: "acme", account: "ada@example.com")
    private let ring: KeyRing
    private let mutator: ByteMutator

    init(corpus: [[UInt8]]) throws {
        ring = KeyRing(try EncryptionKey([UInt8](0..<32)), others: [try EncryptionKey([UInt8](1...32))])
        let connection = Connection(
            key: key, clientID: "client",
            tokens: TokenSet(
                accessToken: Secret("s3cret"), tokenType: "Bearer", scopes: ["a"], issuedAt: FuzzProvider.now),
            binding: CredentialBinding(servers: [], resources: []))
        encrypted = try EncryptedRecord.encrypt(connection, with: ring, nonce: [UInt8](0..<12))
        var other = connection
        other.key.account = "eve@example.com"
        mutator = ByteMutator(
            seeds: [encrypted, try EncryptedRecord.encrypt(other, with: ring, nonce: [UInt8](1...12))] + corpus,
            words: [
                "carnetRC", "carnetRC\u{1}", "carnetRC\u{2}", "\0\0\0\0", "\u{7F}\u{7F}\u{7F}\u{7F}", "{\"provider\":",
                "\"account\"",
            ])
    }

    func input(_ random: inout SplitMix64) -> [UInt8] {
        var bytes = mutator.input(&random)
        // The length of the name, which everything behind it depends on.
        if bytes.count > 21, random.once(in: 8) {
            for place in 17..<21 {
                bytes[place] = random.pick([0, 1, 0x7F, 0xFF, UInt8(truncatingIfNeeded: random.next())])
            }
        }
        return bytes
    }

    func check(_ bytes: [UInt8], index: Int) throws(InputCheck.Violation) {
        do {
            let record = try EncryptedRecord(bytes, at: "x")
            _ = record.keyID
            let connection = try record.decrypt(of: key, with: ring, at: "x")
            try require(bytes == encrypted && connection.key == key, "a changed record opens")
        } catch let error as TokenStoreError {
            try require(error.kind == .unreadable, "\(error)")
            try requirePrintable(error.reason)
        } catch let error as InputCheck.Violation {
            throw error
        } catch {
            throw InputCheck.Violation(description: "\(error)")
        }
        _ = try? PendingAuthorization.decrypted(
            String(decoding: bytes, as: UTF8.self), with: ring, now: FuzzProvider.now)
    }
}
