import Carnet
import CarnetProtocol
import CarnetStorage
import CarnetTesting
import Foundation
import Testing

@Suite("Key")
struct KeyTests {
    private static let bytes = [UInt8](0..<32)

    @Test("Key of another length is unacceptable", arguments: [0, 16, 31, 33, 64])
    func keyOfAnotherLengthIsUnacceptable(length: Int) {
        let error = #expect(throws: TokenStoreError.self) {
            try StoreKeySource.bytes([UInt8](repeating: 7, count: length))
        }
        #expect(error?.kind == .unacceptable)
    }

    @Test(
        "Key is read from text",
        arguments: [
            "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
            "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F",
            "\n AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n",
        ])
    func keyIsReadFromText(text: String) throws {
        #expect(try EncryptionKey(text: text).id == EncryptionKey(Self.bytes).id)
    }

    @Test(
        "Other text is rejected and not repeated",
        arguments: ["", "s3cret", "AAECAwQ=", "zz0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"])
    func otherTextIsRefusedAndNotRepeated(text: String) {
        let error = #expect(throws: TokenStoreError.self) { try EncryptionKey(text: text) }
        #expect(error?.kind == .unacceptable)
        #expect(text.isEmpty || error?.reason.contains(text) == false)
    }

    @Test("Ring takes the first key first")
    func ringTakesTheFirstKeyFirst() throws {
        let other = Data([UInt8](repeating: 9, count: 32)).base64EncodedString()
        let ring = try KeyRing(text: "# since May\n\(other), \(Data(Self.bytes).base64EncodedString())\n")
        #expect(ring.first.id == (try EncryptionKey([UInt8](repeating: 9, count: 32))).id)
        #expect(ring.others.map(\.id) == [try EncryptionKey(Self.bytes).id])
    }

    @Test("Nothing shows its key")
    func nothingShowsItsKey() throws {
        let key = try EncryptionKey([UInt8](repeating: 77, count: 32))
        for value in [key, KeyRing(key), StoreKeySource.keys(KeyRing(key))] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!(dumped + "\(value)").contains("77"))
        }
        #expect("\(StoreKeySource.keys(KeyRing(key)))" == "[redacted]")
    }

    @Test("Environment gives the keys")
    func environmentGivesTheKeys() async throws {
        let text = Data(Self.bytes).base64EncodedString()
        let source = StoreKeySource.environment("KEYS") { ["KEYS": text][$0] }
        #expect(try await source.keys()?.first.id == EncryptionKey(Self.bytes).id)
    }

    @Test("Missing variable is named")
    func missingVariableIsNamed() async {
        let source = StoreKeySource.environment("KEYS") { _ in nil }
        let error = await #expect(throws: TokenStoreError.self) { try await source.keys() }
        #expect(error?.reason == "the store's key: the environment variable KEYS is not set")
    }

    @Test("Bad variable is named and not repeated")
    func badVariableIsNamedAndNotRepeated() async {
        let source = StoreKeySource.environment("KEYS") { _ in "s3cret" }
        let error = await #expect(throws: TokenStoreError.self) { try await source.keys() }
        #expect(error?.kind == .unacceptable)
        #expect(error?.reason.hasPrefix("KEYS: ") == true)
        #expect(error?.reason.contains("s3cret") == false)
    }

    @Test("Service is asked each time")
    func serviceIsAskedEachTime() async throws {
        let random = SeededRandomSource(seed: 1)
        let source = StoreKeySource.asking { KeyRing(try EncryptionKey(random.bytes(count: 32))) }
        #expect(try await source.keys()?.first.id != source.keys()?.first.id)
    }

    @Test("File is read at every use")
    func fileIsReadAtEveryUse() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "carnet-keys-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let source = StoreKeySource.file(path)
        #expect(try await source.keys() == nil)
        for byte in [UInt8(1), 2] {
            let key = Data([UInt8](repeating: byte, count: 32))
            let text = Data((key.base64EncodedString() + "\n").utf8)
            #expect(
                FileManager.default.createFile(atPath: path, contents: text, attributes: [.posixPermissions: 0o600]))
            #expect(try await source.keys()?.first.id == EncryptionKey(Array(key)).id)
        }
    }
}
