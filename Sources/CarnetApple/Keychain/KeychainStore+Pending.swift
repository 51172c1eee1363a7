public import Carnet
public import CarnetProtocol
import CarnetStorage
import Foundation

/// An item for each sign-in; its revision is the time of its end, so that it can be cleared away unopened.
extension KeychainStore: PendingStore {
    /// Sign-ins that are kept at a time; those that would expire first make room.
    private static let pendingLimit = 32

    private var pendingService: String { service + ".pending" }

    public func save(_ pending: PendingAuthorization, now: Date) async throws {
        guard let data = try? JSONEncoder().encode(pending) else {
            throw TokenStoreError(.unacceptable, "the sign-in cannot be written as JSON")
        }
        let waiting = try await items(of: pendingService).map { (item: $0, end: Self.end(of: $0)) }
            .sorted { $0.end > $1.end }
        let kept = waiting.prefix { $0.end > now.timeIntervalSince1970 }.prefix(Self.pendingLimit - 1)
        for surplus in waiting.dropFirst(kept.count) {
            _ = await call { [calls, query = pendingQuery(surplus.item.account)] in calls.delete(query) }
        }
        let end = Array(String(pending.expiresAt.timeIntervalSince1970).utf8)
        let item = KeychainItem(
            service: pendingService, account: pending.storageID, revision: end, data: Array(data))
        let status = await call { [calls, accessGroup, query = pendingQuery(item.account)] in
            calls.replace(
                query, by: item, KeychainChange(revision: end, data: item.data), accessGroup: accessGroup)
        }
        try Self.check(status, to: "keep the pending sign-in")
    }

    public func take(_ id: Secret, now: Date) async throws -> PendingAuthorization? {
        let query = pendingQuery(PendingAuthorization.storageID(id))
        guard let item = try await item(query, to: "load the pending sign-in") else { return nil }
        // Of several readers, only the one that removed the item gets it.
        let status = await call { [calls] in calls.delete(query) }
        if status == KeychainStatus.itemNotFound { return nil }
        try Self.check(status, to: "take the pending sign-in")
        guard let data = item.data,
            let pending = try? JSONDecoder().decode(PendingAuthorization.self, from: Data(data)), pending.id == id,
            pending.expiresAt > now
        else { return nil }
        return pending
    }

    private func pendingQuery(_ account: String) -> KeychainQuery {
        KeychainQuery(service: pendingService, account: account, accessGroup: accessGroup)
    }

    /// In seconds since 1970; an item of another kind is over.
    private static func end(of item: KeychainItem) -> Double {
        item.revision.flatMap { Double(String(decoding: $0, as: UTF8.self)) } ?? 0
    }
}
