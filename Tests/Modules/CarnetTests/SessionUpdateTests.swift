import Carnet
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

/// A change of a record while another process changes it too.
@Suite("A record that two writers change")
struct SessionUpdateTests {
    private let provider = ScriptedProvider()

    private func note() -> BrowserNote {
        BrowserNote(name: "Browser", signedInAt: provider.clock.now, expiresAt: provider.clock.now + 3600)
    }

    @Test("The change is made again with the record of the other writer")
    func conflict() async throws {
        let store = ContestedStore(conflicts: 3)
        let session = try await provider.session(store: store)
        try await session.note(note(), subject: "user-1")
        let saved = try #require(await store.inner.load(session.key)?.connection)
        #expect(saved.browser?.name == "Browser")
        #expect(saved.profile == "changed 3 times", "the other writer's change stays")
    }

    @Test("A change that is cancelled is given up")
    func cancellation() async throws {
        let store = ContestedStore(conflicts: .max, cancelling: true)
        let session = try await provider.session(store: store)
        let note = note()
        let task = Task { try await session.note(note, subject: "user-1") }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await store.load(session.key)?.connection.browser == nil)
    }
}

/// A store to which another process saves just before each of the first saves that replace a record.
private final class ContestedStore: TokenStore {
    let inner = MemoryTokenStore()
    private let left: Lock<Int>
    private let count = Lock(0)
    private let cancels: Bool

    /// - Parameter cancelling: Whether the task that saves is cancelled then.
    init(conflicts: Int, cancelling: Bool = false) {
        left = Lock(conflicts)
        cancels = cancelling
    }

    func load(_ key: ConnectionKey) async throws -> StoredConnection? { await inner.load(key) }

    func save(_ connection: Connection, replacing revision: String?) async throws -> String {
        let isContested = left.withLock { left in
            guard revision != nil, left > 0 else { return false }
            left -= 1
            return true
        }
        if isContested, var other = await inner.load(connection.key) {
            let number = count.withLock { count in
                count += 1
                return count
            }
            other.connection.profile = "changed \(number) times"
            _ = try await inner.save(other.connection, replacing: other.revision)
            if cancels { withUnsafeCurrentTask { $0?.cancel() } }
        }
        return try await inner.save(connection, replacing: revision)
    }

    func remove(_ key: ConnectionKey, ifRevision revision: String?) async throws -> Bool {
        await inner.remove(key, ifRevision: revision)
    }

    func keys() async throws -> [ConnectionKey] { await inner.keys() }

    func withLock<Result: Sendable>(
        on key: ConnectionKey, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await inner.withLock(on: key, body)
    }
}
