import Carnet
import CarnetApple
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTesting
import Foundation
import Testing

/// Collects what a store reports.
private final class Reports: Sendable {
    private let reports = Lock<[TokenStoreError]>([])
    var all: [TokenStoreError] { reports.withLock(\.self) }
    func add(_ report: TokenStoreError) { reports.withLock { $0.append(report) } }
}

/// Stands still, and does not wait.
private struct StoppedClock: WallClock {
    let now = Date(timeIntervalSince1970: 1_767_225_600)
    func sleep(for duration: Duration) async throws {}
}

@Suite("The Keychain store")
struct KeychainStoreTests {
    private static let group = "TEAM.com.example.shared"

    /// A store as a process makes it when it starts.
    private static func store(
        _ keychain: FakeKeychain, group: String? = nil, clock: any WallClock = SystemWallClock(),
        reports: Reports = Reports()
    ) -> KeychainStore {
        KeychainStore(
            service: "carnet", accessGroup: group, calls: keychain, clock: clock,
            queues: KeyedLocks(), onUnreadable: reports.add)
    }

    @Test("Two processes of one access group", arguments: TokenStoreConformance.allCases)
    func conformsForTwoProcesses(to check: TokenStoreConformance) async throws {
        let keychain = FakeKeychain()
        try await check.run(
            on: Self.store(keychain, group: Self.group), and: Self.store(keychain, group: Self.group))
    }

    @Test("One process", arguments: TokenStoreConformance.allCases)
    func conformsForOneProcess(to check: TokenStoreConformance) async throws {
        let store = Self.store(FakeKeychain())
        try await check.run(on: store, and: store)
    }

    @Test("Pending sign-ins of two processes", arguments: PendingStoreConformance.allCases)
    func keepsPendingSignIns(to check: PendingStoreConformance) async throws {
        let keychain = FakeKeychain()
        try await check.run(on: Self.store(keychain), and: Self.store(keychain))
    }

    private let key = ConnectionKey(provider: "acme", account: "ada")
    private func connection(_ token: String = "one") -> Connection {
        Connection(
            key: key, clientID: "client",
            tokens: TokenSet(
                accessToken: Secret(token), tokenType: "Bearer", refreshToken: nil, idToken: nil, scopes: [],
                issuedAt: Date(timeIntervalSince1970: 0), expiresAt: nil),
            binding: CredentialBinding(servers: [], resources: []))
    }

    @Test("Every item is of this device alone, in the access group, and names no account in plain text")
    func itemsAreOfThisDevice() async throws {
        let keychain = FakeKeychain()
        _ = try await Self.store(keychain, group: Self.group).save(connection(), replacing: nil)
        let item = try #require(keychain.items.first)
        #expect(keychain.items.count == 1)
        #expect(item.group == Self.group)
        #expect(item.item.isOfThisDevice == true)
        #expect(!item.item.account.contains("ada"))
    }

    @Test("An error says what failed, what to do, and the OSStatus", arguments: [-25_308, -34_018, -25_291, -67_050])
    func errors(status: Int32) async throws {
        let keychain = FakeKeychain()
        keychain.fail(with: status)
        let store = Self.store(keychain)
        let error = await #expect(throws: TokenStoreError.self) { try await store.load(key) }
        #expect(error?.kind == .unavailable)
        #expect(error?.systemCode == status)
        #expect(error?.reason.contains("(OSStatus \(status))") == true)
        await #expect(throws: TokenStoreError.self) { try await store.save(connection(), replacing: nil) }
        await #expect(throws: TokenStoreError.self) { try await store.prepareToSave(key) }
        await #expect(throws: TokenStoreError.self) { try await store.remove(key) }
        await #expect(throws: TokenStoreError.self) { try await store.keys() }
        if status == -25_308 { #expect(error?.reason.contains("unlock") == true) }
        if status == -34_018 { #expect(error?.reason.contains("Keychain Sharing") == true) }
    }

    @Test("A damaged record counts as none, is reported once for each reading, and is replaced by the next sign-in")
    func damagedRecord() async throws {
        let keychain = FakeKeychain()
        let reports = Reports()
        let store = Self.store(keychain, reports: reports)
        _ = try await store.save(connection(), replacing: nil)
        keychain.change { $0.item.data = Array("{".utf8) }
        #expect(try await store.load(key) == nil)
        #expect(reports.all.map(\.kind) == [.unreadable])
        #expect(try await store.keys() == [key])
        _ = try await store.save(connection("two"), replacing: nil)
        #expect(try await store.load(key)?.connection == connection("two"))
    }

    @Test("The record of another account, form or program is not taken for this one's", arguments: [0, 1, 2])
    func foreignRecord(kind: Int) async throws {
        let keychain = FakeKeychain()
        let reports = Reports()
        let store = Self.store(keychain, reports: reports)
        var other = connection()
        if kind == 0 { other.key.account = "eve" }
        _ = try await store.save(other, replacing: nil)
        let mine =
            key.provider.utf8.map { String($0, radix: 16) }.joined() + "."
            + key.account.utf8.map { String($0, radix: 16) }.joined()
        keychain.change { stored in
            stored.item.account = mine
            if kind == 1 {
                let text = String(decoding: stored.item.data ?? [], as: UTF8.self)
                stored.item.data = Array(text.replacingOccurrences(of: "\"form\":1", with: "\"form\":2").utf8)
            }
            if kind == 2 { stored.item.revision = nil }
        }
        #expect(try await store.load(key) == nil)
        #expect(reports.all.map(\.kind) == [.unreadable])
    }

    @Test("An item that is no account is reported and left")
    func itemThatIsNoAccount() async throws {
        let keychain = FakeKeychain()
        let reports = Reports()
        keychain.put(KeychainItem(service: "carnet", account: "settings", revision: nil, data: [1]))
        #expect(try await Self.store(keychain, reports: reports).keys().isEmpty)
        #expect(reports.all.count == 1)
        #expect(keychain.items.count == 1)
    }

    @Test("A record of an earlier accessibility is moved to this device when it is read, and stays the same record")
    func accessibilityIsMigrated() async throws {
        let keychain = FakeKeychain()
        let store = Self.store(keychain)
        let revision = try await store.save(connection(), replacing: nil)
        keychain.change { $0.item.isOfThisDevice = false }
        let loaded = try await store.load(key)
        #expect(loaded?.connection == connection())
        #expect(loaded?.revision == revision)
        #expect(keychain.items.first?.item.isOfThisDevice == true)
        let updates = keychain.calls.filter { $0 == "update" }.count
        _ = try await store.load(key)
        #expect(keychain.calls.filter { $0 == "update" }.count == updates)
    }

    @Test("A lock that a process left behind is taken over once its time is up, and not before")
    func abandonedLock() async throws {
        let keychain = FakeKeychain()
        let clock = ManualClock()
        let gone = Self.store(keychain, group: Self.group, clock: clock)
        // The process ends inside its lock: the item stays.
        try await gone.withLock(on: key) {
            let held = keychain.items
            #expect(held.count == 1)
            let next = Self.store(keychain, group: Self.group, clock: clock)
            try await next.withLock(on: key) {}
        }
        #expect(clock.sleeps.reduce(.zero, +) >= .seconds(29))
        #expect(keychain.items.isEmpty)
    }

    @Test("Whoever lost the lock learns it before a refresh token is spent")
    func lostLock() async throws {
        let keychain = FakeKeychain()
        let store = Self.store(keychain, group: Self.group)
        let error = await #expect(throws: TokenStoreError.self) {
            try await store.withLock(on: key) {
                keychain.change { $0.item.revision = [9] }
                _ = try await store.holdLock(on: key, for: .seconds(300))
            }
        }
        #expect(error?.kind == .conflict)
    }

    @Test("A lock that is never freed is an error in the end")
    func lockPatience() async throws {
        let keychain = FakeKeychain()
        // Its holder extends it for ever: the clock of the locks stands still.
        let holder = Self.store(keychain, group: Self.group, clock: StoppedClock())
        let waiter = Self.store(keychain, group: Self.group, clock: StoppedClock())
        let error = await #expect(throws: TokenStoreError.self) {
            try await holder.withLock(on: key) { try await waiter.withLock(on: key) {} }
        }
        #expect(error?.kind == .locked)
    }

    @Test("A lock that cannot be had because the Keychain is unavailable is an error at once")
    func unavailableLock() async throws {
        let keychain = FakeKeychain()
        keychain.fail(with: -25_308)
        let error = await #expect(throws: TokenStoreError.self) {
            try await Self.store(keychain, group: Self.group).withLock(on: key) {}
        }
        #expect(error?.systemCode == -25_308)
    }

    @Test("No more than 32 sign-ins wait, and those that are over go first")
    func pendingSignInsAreBounded() async throws {
        let keychain = FakeKeychain()
        let store = Self.store(keychain)
        let app = try SandboxedApp()
        let first = try await app.client.beginSignIn()
        try await store.save(first.pending, now: app.clock.now)
        app.clock.advance(by: .seconds(86_400))
        for _ in 0..<40 {
            try await store.save(try await app.client.beginSignIn().pending, now: app.clock.now)
        }
        #expect(keychain.items.count == 32)
        #expect(try await store.take(first.pending.id, now: app.clock.now) == nil)
    }
}
