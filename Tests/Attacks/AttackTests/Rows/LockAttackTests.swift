// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetHTTP
import CarnetProtocol
import CarnetStorage
import CarnetTestSupport
import CarnetTesting
import CarnetTransport
import Foundation
import Testing

@Suite("LOCK, HOST: locks between processes, and files that others read", .searchedForSecrets)
struct LockAttackTests {
    private let store = LosableStore()

    private func signedIn(_ scenario: Scenario) async throws -> Session {
        try await Flow.signIn.client(of: scenario).signIn(at: scenario)
    }

    /// The refresh requests that were sent.
    private func refreshes(_ scenario: Scenario) -> Int {
        scenario.requests(to: "/token").filter { $0.form["grant_type"] == "refresh_token" }.count
    }

    /// What another process saves in the meantime.
    private func saveAsAnother(_ key: ConnectionKey, _ token: String) async throws {
        var newer = try #require(await store.inner.load(key)).connection
        newer.tokens.accessToken = Secret(token)
        _ = try await store.inner.save(newer, replacing: nil)
    }

    @Test("who lost the lock sends nothing, and takes what its new holder has saved")
    func LOCK_01_lostLockIsNoticedBeforeTheTokenIsSent() async throws {
        let scenario = Scenario(store: store)
        let session = try await signedIn(scenario)
        store.holding { [store] key in
            var newer = try #require(await store.inner.load(key)).connection
            newer.tokens.accessToken = Secret("the-token-of-another-process")
            _ = try await store.inner.save(newer, replacing: nil)
            throw TokenStoreError(.conflict, "another process has the account's lock")
        }
        #expect(try await session.refresh().accessToken.reveal() == "the-token-of-another-process")
        #expect(refreshes(scenario) == 0)
    }

    @Test("who loses the lock each time gives up and keeps the session")
    func LOCK_01_lockThatIsAlwaysLost() async throws {
        let scenario = Scenario(store: store)
        let session = try await signedIn(scenario)
        store.holding { _ in throw TokenStoreError(.conflict, "another process has the account's lock") }
        let error = await expectThrown(OAuthError.self) { try await session.refresh() }
        #expect(error?.disposition == .tryLater)
        #expect(refreshes(scenario) == 0)
        store.holding { _ in nil }
        try await session.refresh()
        #expect(refreshes(scenario) == 1)
    }

    @Test("a lock that ends while the connection is made keeps the token from being sent")
    func LOCK_01_lockThatEndsOnTheWay() async throws {
        let scenario = Scenario(store: store)
        let session = try await signedIn(scenario)
        store.holding { _ in .now }
        let error = await expectThrown(OAuthError.self) { try await session.refresh() }
        #expect(error?.disposition == .tryLater)
        #expect(refreshes(scenario) == 0)
        #expect(try await store.keys() == [session.key])
    }

    @Test("a refusal for another's success, saved or still under way, removes nothing", arguments: [true, false])
    func LOCK_02_refusalForAnothersSuccess(isSaved: Bool) async throws {
        let scenario = Scenario(
            store: store,
            gate: { [store] scenario, request in
                guard request.form["grant_type"] == "refresh_token" else { return }
                // Another process has used the token, and saves now or a moment later.
                let save: @Sendable (ConnectionKey) async throws -> Void = { key in
                    var newer = try #require(await store.inner.load(key)).connection
                    newer.tokens.accessToken = Secret("the-token-of-another-process")
                    _ = try await store.inner.save(newer, replacing: nil)
                }
                let key = try #require(await store.inner.keys().first)
                if isSaved {
                    try await save(key)
                } else {
                    store.holding { key in
                        try await save(key)
                        throw TokenStoreError(.conflict, "another process has the account's lock")
                    }
                }
            })
        let session = try await signedIn(scenario)
        scenario.change { $0.refresh = .error("invalid_grant") }
        #expect(try await session.refresh().accessToken.reveal() == "the-token-of-another-process")
        #expect(refreshes(scenario) == 1)
        #expect(try await store.keys() == [session.key])
    }

    @Test("a deadline does not end at the moment in which a stopped process goes on")
    func LOCK_03_timeInWhichTheProcessWasStoppedDoesNotCount() async throws {
        let slices = Lock<[Duration]>([])
        let clock = Lock(ContinuousClock.now)
        let deadlines = Deadlines(clock: RunningClock(now: { clock.withLock { $0 } })) { slice in
            let number = slices.withLock { slices in
                slices.append(slice)
                return slices.count
            }
            // It is stopped for five minutes in the second slice, and in the last.
            clock.withLock { $0 += slice + ([2, 4].contains(number) ? .seconds(300) : .milliseconds(1)) }
        }
        let error = await #expect(throws: TransportError.self) {
            try await deadlines.run(within: .milliseconds(3100), origin: "id.acme.example:443") {
                try await Task.sleep(for: .seconds(86_400))
            }
        }
        #expect(error?.kind == .timeout)
        // One before the first stop, that of the stop, one more, that of the other stop, and the grace.
        let all = slices.withLock { $0 }
        #expect(all == Array(repeating: .seconds(1), count: 4 + 4) + [.milliseconds(996)])
    }

    @Test("a loop's deadlines do not count it either")
    func LOCK_03_timeInWhichALoopWasStoppedDoesNotCount() {
        let moment = Lock(ContinuousClock.now)
        var clock = RunningClock(now: { moment.withLock { $0 } })
        func wait(_ wait: Duration, taking time: Duration) -> Bool {
            moment.withLock { $0 += time }
            return clock.advance(afterWaiting: wait)
        }
        #expect(!wait(.seconds(1), taking: .milliseconds(20)))
        #expect(!wait(.seconds(1), taking: .milliseconds(1900)))
        #expect(clock.time == .milliseconds(1920))
        #expect(wait(.seconds(1), taking: .seconds(300)))
        #expect(clock.time == .milliseconds(2920))
        #expect(!wait(.zero, taking: .milliseconds(80)))
        #expect(clock.time == .seconds(3))
    }

    @Test("a sign-out goes through though another process keeps the lock, and its refresh brings nothing back")
    func LOCK_05_signOutGoesThrough() async throws {
        for extent in [SignOut.local, .revoke] {
            let store = LosableStore()
            let gate = Gate()
            let scenario = Scenario(
                store: store,
                gate: { _, request in if request.form["grant_type"] == "refresh_token" { await gate.pass() } })
            let session = try await signedIn(scenario)
            let elsewhere = try #require(
                try await Flow.signIn.client(of: scenario).session(for: session.key.account))
            let refresh = Task { try await elsewhere.refresh() }
            await gate.arrival()
            store.isLocked = true
            let outcome = try await session.signOut(extent)
            #expect(outcome.failures.isEmpty == (extent == .local))
            #expect(!outcome.isRevoked)
            #expect(try await store.keys().isEmpty)
            gate.open()
            let error = await expectThrown(OAuthError.self) { try await refresh.value }
            #expect(error?.kind == .sessionEnded)
            #expect(try await store.keys().isEmpty)
        }
    }

    @Test("a sign-in is kept though another process keeps the lock")
    func LOCK_05_signInIsKept() async throws {
        let scenario = Scenario(store: store)
        let session = try await signedIn(scenario)
        store.isLocked = true
        let again = try await signedIn(scenario)
        #expect(again.key == session.key)
        #expect(try await again.storedTokens().accessToken != scenario.tokensBefore.first)
    }

    @Test("a logout of the provider ends a session that is just refreshed, and the tokens given last too")
    func LOCK_06_logoutMeetsARefresh() async throws {
        let scenario = Scenario(store: store)
        scenario.change { $0.idToken.claims["sid"] = "session-1" }
        var flow = Flow.signIn
        flow.provider += "logout: { front_channel: true }\n"
        let client = try flow.client(of: scenario)
        let session = try await client.signIn(at: scenario)
        _ = try await session.tokens()
        let ended = Lock(0)
        // The record is saved anew between its reading and its removal.
        store.removing { [store] key in
            guard
                ended.withLock({
                    $0 += 1; return $0
                }) == 1
            else { return }
            let stored = try #require(await store.inner.load(key))
            _ = try await store.inner.save(stored.connection, replacing: stored.revision)
        }
        store.isLocked = true
        let logout = try FrontChannelLogout(
            validating: AuthorizationCallback(
                url: "https://app.example/?iss=https%3A%2F%2Fid.acme.example&sid=session-1"),
            from: client.provider)
        #expect(try await client.endSessions(namedBy: logout) == [session.key])
        #expect(try await store.keys().isEmpty)
        store.isAway = true
        // Nobody is given the tokens that were given last.
        await expectThrown(TokenStoreError.self) { try await session.tokens() }
    }

    @Test("a file of secrets is its owner's alone before its first byte, whatever the umask")
    func HOST_04_fileIsPrivateBeforeItsFirstByte() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "carnet-attack-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let modes = Lock<[mode_t]>([])
        var calls = FileSystemCalls.system
        calls.write = { descriptor, bytes in
            var status = stat()
            fstat(descriptor, &status)
            modes.withLock { $0.append(status.st_mode & 0o777) }
            return FileSystemCalls.system.write(descriptor, bytes)
        }
        try PrivateFolder(path: folder, calls: calls).replace("clients.yaml", with: Array("client_secret: x".utf8))
        #expect(modes.withLock { $0 } == [0o600])
        // The library's own way makes the file first and takes the rights away after.
        let sources = FileManager.default.enumerator(
            at: Repository.root.appending(path: "Sources"), includingPropertiesForKeys: nil)
        for case let file as URL in sources ?? .init() where file.pathExtension == "swift" {
            #expect(try !String(contentsOf: file, encoding: .utf8).contains("createFile(atPath"), "\(file.path)")
        }
    }

    @Test("a record of another store does not open: each store has a key of its own")
    func HOST_06_recordOfAnotherStore() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "carnet-attack-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (mine, other) = (FileTokenStore(folder: folder + "/mine"), FileTokenStore(folder: folder + "/other"))
        let session = try await signedIn(Scenario(store: mine))
        _ = try await signedIn(Scenario(store: other))
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder + "/mine").first { $0.hasSuffix(".record") })
        let record = try Data(contentsOf: URL(filePath: folder + "/mine/" + name))
        try record.write(to: URL(filePath: folder + "/other/" + name))
        let error = await expectThrown(TokenStoreError.self) { try await other.load(session.key) }
        #expect(error?.kind == .unreadable)
        #expect(try await mine.load(session.key) != nil)
    }
}

/// A store in memory whose lock another process may have.
private final class LosableStore: SessionIndexedTokenStore {
    private struct State {
        var hold: @Sendable (ConnectionKey) async throws -> ContinuousClock.Instant? = { _ in nil }
        var remove: @Sendable (ConnectionKey) async throws -> Void = { _ in }
        var isLocked = false
        var isAway = false
    }

    let inner = MemoryTokenStore()
    private let state = Lock(State())

    func holding(_ hold: @escaping @Sendable (ConnectionKey) async throws -> ContinuousClock.Instant?) {
        state.withLock { $0.hold = hold }
    }

    func removing(_ remove: @escaping @Sendable (ConnectionKey) async throws -> Void) {
        state.withLock { $0.remove = remove }
    }

    /// Whether another process keeps the lock of every account.
    var isLocked: Bool {
        get { state.withLock(\.isLocked) }
        set { state.withLock { $0.isLocked = newValue } }
    }

    var isAway: Bool {
        get { state.withLock(\.isAway) }
        set { state.withLock { $0.isAway = newValue } }
    }

    func keys(of provider: String, endedBy ended: EndedSession) async -> [ConnectionKey] {
        await inner.keys(of: provider, endedBy: ended)
    }

    func load(_ key: ConnectionKey) async throws -> StoredConnection? {
        if isAway { throw TokenStoreError(.unavailable, "the database is away") }
        return await inner.load(key)
    }

    func save(_ connection: Connection, replacing revision: String?) async throws -> String {
        try await inner.save(connection, replacing: revision)
    }

    func remove(_ key: ConnectionKey, ifRevision revision: String?) async throws -> Bool {
        try await state.withLock(\.remove)(key)
        return await inner.remove(key, ifRevision: revision)
    }

    func keys() async throws -> [ConnectionKey] { await inner.keys() }

    func withLock<Result: Sendable>(
        on key: ConnectionKey, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        if isLocked { throw TokenStoreError(.locked, "process 4711 has held the lock") }
        return try await inner.withLock(on: key, body)
    }

    func holdLock(on key: ConnectionKey, for duration: Duration) async throws -> ContinuousClock.Instant? {
        try await state.withLock(\.hold)(key)
    }
}
