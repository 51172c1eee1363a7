// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetProtocol
import CarnetServerTestSupport
import CarnetStorage
import CarnetStoreTestSupport
import Foundation
import Testing

@testable import CarnetPostgreSQL

/// Locks whose holder was cut off, was stopped or has ended.
@Suite("Lease")
struct LeaseTests {
    private let cluster: PostgreSQLCluster
    private let address: String
    private let key = Connection.test().key

    init() throws {
        cluster = try .shared()
        address = try cluster.makeDatabase()
    }

    private func configuration(
        lease: Duration = .milliseconds(200), lockPatience: Duration = .milliseconds(100), address: String? = nil,
        patience: Duration = .seconds(10)
    ) -> PostgreSQLConfiguration {
        PostgreSQLConfiguration(
            Secret(address ?? self.address), tls: .none, poolSize: 2, patience: patience, lockPatience: lockPatience,
            lease: lease)
    }

    private func store(_ configuration: PostgreSQLConfiguration) throws -> PostgreSQLStore {
        PostgreSQLStore(configuration, key: try .bytes([UInt8](0..<32)))
    }

    /// Leaves the row of a process that ended it so long ago.
    private func leaveRow(of process: String, endedBefore seconds: Double) async throws {
        _ = try await store(configuration()).keys()
        try cluster.psql(
            """
            INSERT INTO carnet_lock (id, owner, process, expires_at)
            VALUES ('\(try RecordID(key).text)', 'gone', \(process), clock_timestamp() - interval '\(seconds) seconds')
            """, in: address)
    }

    private func expectLocked(_ store: PostgreSQLStore) async {
        let error = await #expect(throws: TokenStoreError.self) { try await store.withLock(on: key) {} }
        #expect(error?.kind == .locked)
    }

    private var owners: String { get throws { try cluster.psql("SELECT owner FROM carnet_lock", in: address) } }

    @Test("the lock of a process that has ended is free when its lease is over, and not before")
    func lockOfAProcessThatEnded() async throws {
        let store = try store(configuration())
        try await leaveRow(of: "7", endedBefore: -3600)
        await expectLocked(store)
        try cluster.psql("UPDATE carnet_lock SET expires_at = clock_timestamp() - interval '1 second'", in: address)
        try await store.withLock(on: key) {}
        #expect(try owners == "")
    }

    @Test("the lock of a process of an earlier version is free when its lease is over")
    func lockOfAnEarlierVersion() async throws {
        try await leaveRow(of: "NULL", endedBefore: 1)
        try await store(configuration()).withLock(on: key) {}
    }

    @Test("the lock of a process that was stopped is its own for as long as the database sees it")
    func lockOfAStoppedProcess() async throws {
        try await leaveRow(of: "7", endedBefore: 1)
        let lease = Duration.seconds(3)
        // So that the row's end counts, and not the server's start.
        try cluster.psql(
            "SELECT pg_sleep(greatest(0, 3.1 - extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())))")
        do {
            let beacon = Beacon(configuration(), process: 7)
            try await beacon.light()
            await expectLocked(try store(configuration(lease: lease)))
            try await beacon.light()
        }
        // The beacon has gone with its process; the database needs a moment to see it.
        try await store(configuration(lease: lease, lockPatience: .seconds(20))).withLock(on: key) {}
    }

    @Test("a beacon that burns for nobody, behind a router say, does not keep a lock for ever")
    func lockOfAProcessThatIsLongSilent() async throws {
        let beacon = Beacon(configuration(), process: 7)
        try await beacon.light()
        try await leaveRow(of: "7", endedBefore: 3)
        try await store(configuration()).withLock(on: key) {}
        try await beacon.light()
    }

    @Test("a beacon whose connection was cut is lit again before the next lock")
    func beaconIsLitAgain() async throws {
        let store = try store(configuration())
        try await store.withLock(on: key) {}
        #expect(try beacons == "1\n")
        try cluster.psql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'carnet' "
                + "AND datname = current_database()", in: address)
        while try beacons != "0\n" { await Task.yield() }
        try await store.withLock(on: key) {
            let lit = try beacons
            #expect(lit == "1\n")
        }
    }

    private var beacons: String {
        get throws {
            try cluster.psql(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock' AND database = "
                    + "(SELECT oid FROM pg_database WHERE datname = current_database())", in: address)
        }
    }

    @Test("a beacon outlives the database's limits of idle transactions")
    func beaconMayBeIdle() async throws {
        let name = address.split(separator: "=").last ?? ""
        try cluster.psql("ALTER DATABASE \(name) SET idle_in_transaction_session_timeout = 3000")
        let beacon = Beacon(configuration(), process: 7)
        try await beacon.light()
        try cluster.psql("SELECT pg_sleep(4)")
        // Other tests have databases in the same cluster.
        let held =
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 7 AND database = "
            + "(SELECT oid FROM pg_database WHERE datname = current_database())"
        #expect(try cluster.psql(held, in: address) == "1\n")
        try await beacon.light()
    }

    @Test("the error states when the lock was lost, and until when it is held")
    func LOCK_01_lostLeaseIsReported() async throws {
        let store = try store(configuration(lease: .seconds(60)))
        try await store.withLock(on: key) {
            let asked = ContinuousClock.now
            let end = try #require(try await store.holdLock(on: key, for: .seconds(45)))
            #expect(end - asked >= .seconds(45) && end - asked <= .seconds(61))
            let later = try #require(try await store.holdLock(on: key, for: .seconds(600)))
            #expect(later - asked >= .seconds(600))
            let row = "SELECT extract(epoch FROM expires_at - clock_timestamp())::int FROM carnet_lock"
            #expect((590...601).contains(Int(try cluster.psql(row, in: address).dropLast()) ?? 0))
            try cluster.psql("UPDATE carnet_lock SET owner = 'another'", in: address)
            let error = await #expect(throws: TokenStoreError.self) {
                try await store.holdLock(on: key, for: .seconds(3600))
            }
            #expect(error?.kind == .conflict)
            // Once lost, never held again, whatever was known before.
            let again = await #expect(throws: TokenStoreError.self) { try await store.holdLock(on: key, for: .zero) }
            #expect(again?.kind == .conflict)
        }
        #expect(try owners == "another\n", "another's lock is not freed")
    }

    @Test("a lock that may have ended is asked for, and one that nobody took is held again")
    func LOCK_01_endedLeaseIsHeldAgain() async throws {
        // It would be extended after 15 minutes.
        let store = try store(configuration(lease: .seconds(3600)))
        try await store.withLock(on: key) {
            try cluster.psql("UPDATE carnet_lock SET expires_at = clock_timestamp() - interval '1 day'", in: address)
            let end = try #require(try await store.holdLock(on: key, for: .seconds(7200)))
            #expect(end - .now > .seconds(7000))
        }
        #expect(try owners == "")
    }

    @Test("outside its lock nobody holds one")
    func LOCK_01_holdOutside() async throws {
        let store = try store(configuration())
        let error = await #expect(throws: TokenStoreError.self) { try await store.holdLock(on: key, for: .zero) }
        #expect(error?.kind == .conflict)
    }

    @Test("new tokens are saved as long as nobody else can use the old ones, however long the database is away")
    func saveInsideALockOutlivesThePatience() async throws {
        let cluster = try PostgreSQLCluster()
        defer { cluster.remove() }
        let address = try cluster.makeDatabase()
        let store = try store(configuration(lease: .seconds(60), address: address, patience: .milliseconds(200)))
        let revision = try await store.save(.test(), replacing: nil)
        try await store.withLock(on: key) {
            try cluster.crash()
            let saving = Task { try await store.save(.test(token: "s3cret-new"), replacing: revision) }
            await #expect(throws: TokenStoreError.self) { try await store.load(key) }
            await #expect(throws: TokenStoreError.self) { try await store.load(key) }
            try cluster.start()
            _ = try await saving.value
        }
        #expect(try await store.load(key)?.connection.tokens.accessToken == Secret("s3cret-new"))
    }

    @Test("a lock that could not be freed is freed later, and is its own process's at once")
    func lockThatCouldNotBeFreed() async throws {
        let proxy = try await FaultProxy(to: "\(cluster.folder)/.s.PGSQL.5432")
        let name = address.split(separator: "=").last ?? ""
        let behind = "host=127.0.0.1 port=\(proxy.port) user=carnet dbname=\(name)"
        let store = try store(configuration(lease: .seconds(2), address: behind, patience: .milliseconds(100)))
        try await store.withLock(on: key) { proxy.set(.cut) }
        #expect(try owners != "")
        proxy.set(.none)
        try await store.withLock(on: key) {
            let held = try owners
            #expect(held != "")
        }
        while try owners != "" { try await Task.sleep(for: .milliseconds(20)) }
        try await proxy.stop()
    }

    @Test("a statement that is cancelled ends with its connection, and makes no other")
    func LOCK_07_cancellationMakesNoConnection() async throws {
        let proxy = try await FaultProxy(to: "\(cluster.folder)/.s.PGSQL.5432")
        let name = address.split(separator: "=").last ?? ""
        let behind = "host=127.0.0.1 port=\(proxy.port) user=carnet dbname=\(name)"
        let connection = try await DatabaseConnection.open(configuration(address: behind))
        let waiting = Task { try await connection.run("SELECT pg_sleep(600)", within: .seconds(600)) }
        while try cluster.psql(
            "SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)'") == "0\n"
        { await Task.yield() }
        let started = ContinuousClock.now
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(ContinuousClock.now - started < .seconds(5))
        #expect(await !connection.isUsable)
        #expect(proxy.connections == 1)
        try await proxy.stop()
    }

    @Test("a task that is cancelled before its statement makes none")
    func LOCK_07_cancelledBefore() async throws {
        let connection = try await DatabaseConnection.open(configuration())
        let outcome = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await connection.run("SELECT pg_sleep(600)", within: .seconds(600))
        }.result
        #expect(throws: CancellationError.self) { try outcome.get() }
    }
}
