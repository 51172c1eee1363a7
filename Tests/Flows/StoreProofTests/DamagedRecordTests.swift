import Carnet
import CarnetStoreTestSupport
import CarnetTesting
import Testing

/// A record that cannot be opened is named, hides no other, and stays as it is, in every store.
@Suite("Damaged record")
struct DamagedRecordTests {
    enum Damage: CaseIterable {
        case empty, header, name, box, lastByte, junk, newerFormat, otherAccount

        func done(to bytes: [UInt8], other: [UInt8]) -> [UInt8] {
            switch self {
            case .empty: []
            case .header: Array(bytes.prefix(12))
            case .name: Array(bytes.prefix(30))
            case .box: Array(bytes.prefix(bytes.count / 2))
            case .lastByte: Array(bytes.dropLast())
            case .junk: Array(String(repeating: "not a record\n", count: 20).utf8)
            case .newerFormat: Array(bytes[..<8]) + [9] + Array(bytes[9...])
            case .otherAccount: other
            }
        }
    }

    @Test("Is named and left alone", arguments: StoreLocation.Kind.allCases, Damage.allCases)
    func isNamedAndLeftAlone(kind: StoreLocation.Kind, damage: Damage) async throws {
        let storage = try TemporaryStorage(kind)
        let store = try storage.location.open()
        let (mine, other) = (Connection.test(account: "ada"), Connection.test(account: "eve"))
        for connection in [mine, other] { _ = try await store.save(connection, replacing: nil) }
        let bytes = try damage.done(to: storage.record(of: mine.key), other: storage.record(of: other.key))
        try storage.replaceRecord(of: mine.key, with: bytes)
        let client = try StormProvider.client(store, transport: ScriptedTransport { _ in throw CancellationError() })
        for attempt in [
            { _ = try await store.load(mine.key) }, { _ = try await client.session(for: "ada") },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: TokenStoreError.self) { try await attempt() }
            #expect(error?.kind == .unreadable)
            #expect(error?.reason.contains("s3cret") == false)
            if damage == .newerFormat { #expect(error?.reason.contains("has the format 9") == true) }
        }
        #expect(try storage.record(of: mine.key) == bytes)
        #expect(try await store.load(other.key)?.connection == other)
        #expect(try await store.keys().contains(other.key))
        try await store.remove(mine.key)
        #expect(try await store.keys() == [other.key])
    }

    @Test("Tokens that are too large are rejected and overwrite nothing", arguments: StoreLocation.Kind.allCases)
    func tokensThatAreTooLargeAreRefusedAndOverwriteNothing(kind: StoreLocation.Kind) async throws {
        let storage = try TemporaryStorage(kind)
        let store = try storage.location.open()
        let old = Connection.test(account: "ada")
        let revision = try await store.save(old, replacing: nil)
        let large = Connection.test(account: "ada", token: String(repeating: "x", count: 9 << 20))
        let error = await #expect(throws: TokenStoreError.self) { try await store.save(large, replacing: revision) }
        #expect(error?.kind == .unacceptable)
        #expect(error?.reason == "the tokens of an account are larger than 8 MB")
        #expect(try await store.load(old.key)?.connection == old)
    }

    @Test("Name that is too long is rejected", arguments: StoreLocation.Kind.allCases)
    func nameThatIsTooLongIsRefused(kind: StoreLocation.Kind) async throws {
        let store = try TemporaryStorage(kind).location.open()
        let connection = Connection.test(account: String(repeating: "x", count: 65_537))
        let error = await #expect(throws: TokenStoreError.self) { try await store.save(connection, replacing: nil) }
        #expect(error?.kind == .unacceptable)
        #expect((error?.reason.utf8.count ?? 0) < 200)
    }
}
