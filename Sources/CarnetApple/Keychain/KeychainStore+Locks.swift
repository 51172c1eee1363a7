public import Carnet
import CarnetFoundation
import CarnetStorage
import Foundation

/// A lock between processes that this process holds.
struct KeychainLease: Sendable {
    var owner: [UInt8]
    /// When it may be taken by another process, by this machine's clock.
    var end: ContinuousClock.Instant
}

/// Inside a process, tasks queue. Between the processes of an access group a lock is an item of the Keychain, with its owner
/// and the time of its end: a file lock would do, but iOS ends an application that is suspended while it holds one in a
/// shared container.
extension KeychainStore {
    /// The queues of all stores of this process: two may be of one service.
    package static let queues = KeyedLocks<String>()
    static let leaseDuration = Duration.seconds(30)
    private static let lockPatience = Duration.seconds(60)
    /// No lease is this long: one that seems to be is of a clock that was changed.
    private static let longestLease = Duration.seconds(3600)

    private var lockService: String { service + ".lock" }

    public func withLock<Result: Sendable>(
        on key: ConnectionKey,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let id = try RecordID(key)
        return try await queues.withLock(on: "\(service)\u{0}\(accessGroup ?? "")\u{0}\(id.text)") { [self] in
            guard accessGroup != nil else { return try await body() }
            let lease = try await acquire(id)
            leases.withLock { $0[id] = lease }
            let outcome: Swift.Result<Result, any Error>
            do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
            leases.withLock { $0[id] = nil }
            // One that cannot be removed ends by itself.
            _ = await call { [calls, query = query(id, lease.owner)] in calls.delete(query) }
            return try outcome.get()
        }
    }

    public func holdLock(on key: ConnectionKey, for duration: Duration) async throws -> ContinuousClock.Instant? {
        guard accessGroup != nil else { return nil }
        let id = try RecordID(key)
        let lost = TokenStoreError(.conflict, "another process has taken the account's lock")
        guard var lease = leases.withLock({ $0[id] }) else { throw lost }
        if lease.end - .now >= duration { return lease.end }
        let length = min(max(duration, Self.leaseDuration), Self.longestLease)
        lease.end = .now + length
        let data = end(after: length)
        let status = await call { [calls, query = query(id, lease.owner)] in
            calls.update(query, KeychainChange(data: data))
        }
        if status == KeychainStatus.itemNotFound { throw lost }
        try Self.check(status, to: "extend the lock of \(key.account)")
        leases.withLock { [lease] in $0[id] = lease }
        return lease.end
    }

    private func acquire(_ id: RecordID) async throws -> KeychainLease {
        let owner = random.bytes(count: 16)
        var waited = Duration.zero
        var pause = Duration.milliseconds(5)
        while true {
            try Task.checkCancellation()
            // Before the call: the lease is over no later than it says.
            let lease = KeychainLease(owner: owner, end: .now + Self.leaseDuration)
            let status = try await take(id, owner)
            if status == KeychainStatus.success { return lease }
            guard status == KeychainStatus.duplicateItem || status == KeychainStatus.itemNotFound else {
                throw TokenStoreError(keychain: status, to: "lock the account")
            }
            guard waited < Self.lockPatience else {
                throw TokenStoreError(
                    .locked, "the account is locked: another process has held it for \(Self.lockPatience) or longer")
            }
            try await clock.sleep(for: pause)
            waited += pause
            pause = min(pause * 2, .milliseconds(250))
        }
    }

    /// Adds the lock, or takes over one that has ended.
    private func take(_ id: RecordID, _ owner: [UInt8]) async throws -> Int32 {
        let data = end(after: Self.leaseDuration)
        let item = KeychainItem(service: lockService, account: id.text, revision: owner, data: data)
        let added = await call { [calls, accessGroup] in calls.add(item, accessGroup: accessGroup) }
        guard added == KeychainStatus.duplicateItem, let held = try await self.item(query(id), to: "lock the account"),
            isOver(held)
        else { return added }
        return await call { [calls, query = query(id, held.revision)] in
            calls.update(query, KeychainChange(revision: owner, data: data))
        }
    }

    private func query(_ id: RecordID, _ owner: [UInt8]? = nil) -> KeychainQuery {
        KeychainQuery(service: lockService, account: id.text, revision: owner, accessGroup: accessGroup)
    }

    private func end(after duration: Duration) -> [UInt8] {
        let end = clock.now.timeIntervalSince1970 + duration.timeInterval
        return Array(String(end).utf8)
    }

    private func isOver(_ lock: KeychainItem) -> Bool {
        guard let end = lock.data.flatMap({ Double(String(decoding: $0, as: UTF8.self)) }) else { return true }
        let left = end - clock.now.timeIntervalSince1970
        return left <= 0 || left > Self.longestLease.timeInterval
    }
}
