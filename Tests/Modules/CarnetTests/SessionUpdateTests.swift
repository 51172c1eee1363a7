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

    @Test("A change waits for the account's lock, which a refresh holds")
    func lock() async throws {
        let store = ContestedStore(conflicts: 0)
        let session = try await provider.session(store: store)
        let before = store.savesWithoutLock
        try await session.note(note(), subject: "user-1")
        #expect(store.savesWithoutLock == before)
    }

    @Test("A refresh saves its tokens over a change that another process made without them")
    func changeDuringRefresh() async throws {
        let store = MemoryTokenStore()
        let session = try await provider.session(store: store)
        let note = note()
        provider.on("/token") { provider, form in
            if var stored = await store.load(session.key) {
                stored.connection.browser = note
                _ = try await store.save(stored.connection, replacing: stored.revision)
            }
            return try await provider.reply("/token", form)
        }
        let tokens = try await session.refresh()
        #expect(tokens.refreshToken?.reveal() == "refresh-token-2")
        let saved = try #require(await store.load(session.key)?.connection)
        #expect(saved.tokens == tokens && saved.browser?.name == "Browser")
    }

    @Test("A change keeps refreshed tokens that could not be saved")
    func unsavedTokens() async throws {
        let store = FailingStore()
        let session = try await provider.session(store: store)
        store.fail(.save)
        await expectError(.storage, .storage) { try await session.refresh() }
        store.work()
        try await session.note(note(), subject: "user-1")
        let saved = try #require(await store.inner.load(session.key)?.connection)
        #expect(saved.tokens.refreshToken?.reveal() == "refresh-token-2" && saved.browser?.name == "Browser")
        #expect(try await session.tokens().accessToken.reveal() == "access-token-2")
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
    private let locks = Lock((held: 0, savesWithout: 0))

    var savesWithoutLock: Int { locks.withLock(\.savesWithout) }

    /// - Parameter cancelling: Whether the task that saves is cancelled then.
    init(conflicts: Int, cancelling: Bool = false) {
        left = Lock(conflicts)
        cancels = cancelling
    }

    func load(_ key: ConnectionKey) async throws -> StoredConnection? { await inner.load(key) }

    func save(_ connection: Connection, replacing revision: String?) async throws -> String {
        locks.withLock { if $0.held == 0 { $0.savesWithout += 1 } }
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
        try await inner.withLock(on: key) {
            locks.withLock { $0.held += 1 }
            defer { locks.withLock { $0.held -= 1 } }
            return try await body()
        }
    }
}
