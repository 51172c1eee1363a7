import Carnet
import CarnetTesting
import Testing

/// The suite has to notice a store that is wrong.
@Suite("Token store conformance")
struct TokenStoreConformanceTests {
    @Test("Notices swap that ignores revision")
    func noticesSwapThatIgnoresRevision() async {
        await expectViolation(of: .staleRevisionConflicts, by: FaultyStore(ignoresRevision: true))
    }

    @Test("Notices removal that ignores revision")
    func noticesRemovalThatIgnoresRevision() async {
        await expectViolation(of: .staleRemovalChangesNothing, by: FaultyStore(ignoresRevision: true))
    }

    @Test("Notices lock that is held too short")
    func noticesLockThatIsHeldTooShort() async {
        await expectViolation(of: .lockIsHeldForAsLongAsAsked, by: FaultyStore(locks: false))
    }

    @Test("Notices many winners")
    func noticesManyWinners() async {
        await expectViolation(of: .concurrentSwapHasOneWinner, by: FaultyStore(ignoresRevision: true))
    }

    @Test("Notices lock that lets everyone in")
    func noticesLockThatLetsEveryoneIn() async {
        await expectViolation(of: .lockExcludes, by: FaultyStore(locks: false))
    }

    @Test("Notices lock that cannot be cancelled")
    func noticesLockThatCannotBeCancelled() async {
        await expectViolation(of: .waitForLockIsCancellable, by: FaultyStore(locks: false))
    }

    @Test("Notices mixed up accounts")
    func noticesMixedUpAccounts() async {
        await expectViolation(of: .unusualAccountNames, by: FaultyStore(foldsCase: true))
    }

    private func expectViolation(of check: TokenStoreConformance, by store: FaultyStore) async {
        let violation = await #expect(throws: ConformanceViolation.self) { try await check.run(on: store, and: store) }
        #expect(violation?.check == "\(check)")
    }
}

private struct FaultyStore: TokenStore {
    let memory = MemoryTokenStore()
    var ignoresRevision = false
    var locks = true
    var foldsCase = false

    private func folded(_ key: ConnectionKey) -> ConnectionKey {
        foldsCase ? ConnectionKey(provider: key.provider, account: key.account.lowercased()) : key
    }

    func load(_ key: ConnectionKey) async throws -> StoredConnection? {
        await memory.load(folded(key))
    }

    func save(_ connection: Connection, replacing revision: String?) async throws -> String {
        var connection = connection
        connection.key = folded(connection.key)
        return try await memory.save(connection, replacing: ignoresRevision ? nil : revision)
    }

    func remove(_ key: ConnectionKey, ifRevision revision: String?) async throws -> Bool {
        await memory.remove(folded(key), ifRevision: ignoresRevision ? nil : revision)
    }

    func holdLock(on key: ConnectionKey, for duration: Duration) async throws -> ContinuousClock.Instant? {
        locks ? nil : .now
    }

    func keys() async throws -> [ConnectionKey] {
        await memory.keys()
    }

    func withLock<Result: Sendable>(
        on key: ConnectionKey,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        locks ? try await memory.withLock(on: key, body) : try await body()
    }
}
