import Carnet
import CarnetProtocol
import CarnetStorage
import Foundation
import Testing

@Suite("Encrypted value")
struct EncryptedValueTests {
    private let ring: KeyRing
    private let newer: EncryptionKey

    init() throws {
        ring = KeyRing(try EncryptionKey([UInt8](0..<32)))
        newer = try EncryptionKey([UInt8](repeating: 9, count: 32))
    }

    @Test("Encrypted value opens")
    func valueIsDecrypted() throws {
        let text = try EncryptedValue.encrypt(["a": 1], for: "test", with: ring)
        #expect(try EncryptedValue.decrypt(text, as: [String: Int].self, for: "test", with: ring) == ["a": 1])
        #expect(
            text.utf8.allSatisfy {
                UInt8(ascii: "-") == $0 || UInt8(ascii: "_") == $0 || Character(Unicode.Scalar($0)).isLetter
                    || Character(Unicode.Scalar($0)).isNumber
            })
    }

    @Test("Every changed character is noticed")
    func everyChangedCharacterIsNoticed() throws {
        let text = Array(try EncryptedValue.encrypt(["a": 1], for: "test", with: ring).utf8)
        for index in text.indices {
            var changed = text
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let forged = String(decoding: changed, as: UTF8.self)
            #expect(throws: TokenStoreError.self, "character \(index)") {
                try EncryptedValue.decrypt(forged, as: [String: Int].self, for: "test", with: ring)
            }
        }
    }

    @Test("Value serves its purpose only")
    func valueServesItsPurposeOnly() throws {
        let text = try EncryptedValue.encrypt(["a": 1], for: "test", with: ring)
        #expect(throws: TokenStoreError.self) {
            try EncryptedValue.decrypt(text, as: [String: Int].self, for: "other", with: ring)
        }
    }

    @Test("Older key still opens")
    func olderKeyStillOpens() throws {
        let text = try EncryptedValue.encrypt(["a": 1], for: "test", with: ring)
        let rotated = KeyRing(newer, others: [ring.first])
        #expect(try EncryptedValue.decrypt(text, as: [String: Int].self, for: "test", with: rotated) == ["a": 1])
    }

    @Test("Unknown key is named by its ID")
    func unknownKeyIsNamedByItsID() throws {
        let text = try EncryptedValue.encrypt(["a": 1], for: "test", with: ring)
        let error = #expect(throws: TokenStoreError.self) {
            try EncryptedValue.decrypt(text, as: [String: Int].self, for: "test", with: KeyRing(newer))
        }
        #expect(error?.reason.contains(ring.first.id) == true)
    }

    @Test(
        "Other text is unreadable",
        arguments: ["", "A", "====", "not encrypted at all", "AQ", "\u{0}", String(repeating: "A", count: 100_000)])
    func otherTextIsUnreadable(text: String) {
        let error = #expect(throws: TokenStoreError.self) {
            try EncryptedValue.decrypt(text, as: String.self, for: "test", with: ring)
        }
        #expect(error?.kind == .unreadable)
    }
}
