public import Carnet
import CarnetFoundation

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
            try context.require(try await stores.first.use("a", until: end, now: now), "use rejected a new token")
            try context.require(try await !stores.second.use("a", until: end, now: now), "use accepted a token twice")
            try context.require(
                try await !stores.first.use("a", until: end, now: end - 1),
                "use accepted a token again before its expiry")
        case .othersStay:
            _ = try await stores.first.use("a", until: end, now: now)
            try context.require(try await stores.second.use("b", until: end, now: now), "use rejected another token")
            try context.require(
                try await !stores.first.use("a", until: end, now: now),
                "after another token was used, use accepted a used token again")
        case .markEndsWithToken:
            _ = try await stores.first.use("a", until: end, now: now)
            try context.require(
                try await stores.second.use("a", until: end + 60, now: end),
                "use rejected an id whose token has expired")
            try context.require(
                try await !stores.first.use("a", until: end + 60, now: end + 59),
                "use accepted a token again before its later expiry")
        case .takenBack:
            _ = try await stores.first.use("a", until: end, now: now)
            try await stores.second.forget("a")
            try context.require(
                try await stores.first.use("a", until: end, now: now), "use rejected a token after forget")
        case .unknownIsTakenBack:
            try await stores.first.forget("a")
            try context.require(try await stores.second.use("a", until: end, now: now), "use rejected a new token")
        case .oneOfManyUses:
            let users = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<16 {
                    let store = number.isMultiple(of: 2) ? stores.first : stores.second
                    group.addTask { try await store.use("a", until: end, now: now) }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            try context.require(users == 1, "\(users) of 16 concurrent callers used the same token")
        case .longIDs:
            let id = String(repeating: "long\u{0}é ", count: 2000)
            try context.require(try await stores.first.use(id, until: end, now: now), "use rejected a long id")
            try context.require(
                try await stores.second.use(id + "b", until: end, now: now), "use confused two long ids")
            try context.require(
                try await !stores.second.use(id, until: end, now: now), "use accepted a token with a long id twice")
        }
    }
}
