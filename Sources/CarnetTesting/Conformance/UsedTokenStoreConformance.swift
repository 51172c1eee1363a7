public import Carnet
import Foundation

/// The requirements of `UsedTokenStore`, as checks for any test framework.
public enum UsedTokenStoreConformance: CaseIterable, Sendable {
    case usedOnce
    case othersStay
    case markEndsWithToken
    case takenBack
    case unknownIsTakenBack
    case oneOfManyUses
    case longIDs

    /// Tests two instances on one empty storage, or one store twice..
    ///
    /// - Throws: `ConformanceViolation`, or errors of the store.
    public func run(on first: any UsedTokenStore, and second: any UsedTokenStore) async throws {
        let stores = (first: first, second: second)
        let context = CheckContext(name: "\(self)")
        let now = Date(timeIntervalSince1970: 1_767_225_600.25)
        let end = now + 60
        switch self {
        case .usedOnce:
            try context.require(try await stores.first.use("a", until: end, now: now), "a new token was refused")
            try context.require(try await !stores.second.use("a", until: end, now: now), "a token was used twice")
            try context.require(
                try await !stores.first.use("a", until: end, now: end - 1), "a token was used again later")
        case .othersStay:
            _ = try await stores.first.use("a", until: end, now: now)
            try context.require(try await stores.second.use("b", until: end, now: now), "another token was refused")
            try context.require(
                try await !stores.first.use("a", until: end, now: now), "another token took the mark away")
        case .markEndsWithToken:
            _ = try await stores.first.use("a", until: end, now: now)
            try context.require(
                try await stores.second.use("a", until: end + 60, now: end), "a mark outlived its token")
            try context.require(
                try await !stores.first.use("a", until: end + 60, now: end + 59), "a refreshed mark ended too soon")
        case .takenBack:
            _ = try await stores.first.use("a", until: end, now: now)
            try await stores.second.forget("a")
            try context.require(
                try await stores.first.use("a", until: end, now: now), "a mark that was taken back stayed")
        case .unknownIsTakenBack:
            try await stores.first.forget("a")
            try context.require(try await stores.second.use("a", until: end, now: now), "a new token was refused")
        case .oneOfManyUses:
            let users = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<16 {
                    let store = number.isMultiple(of: 2) ? stores.first : stores.second
                    group.addTask { try await store.use("a", until: end, now: now) }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            try context.require(users == 1, "\(users) of 16 used the same token")
        case .longIDs:
            let id = String(repeating: "long\u{0}é ", count: 2000)
            try context.require(try await stores.first.use(id, until: end, now: now), "a long id was refused")
            try context.require(
                try await stores.second.use(id + "b", until: end, now: now), "two long ids were taken for one")
            try context.require(
                try await !stores.second.use(id, until: end, now: now), "a token with a long id was used twice")
        }
    }
}
