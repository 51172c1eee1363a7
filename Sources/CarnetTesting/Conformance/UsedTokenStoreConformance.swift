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
        let context = CheckContext(name: "\(self)")
        let now = Date(timeIntervalSince1970: 1_767_225_600.25)
        let end = now + 60
        switch self {
        case .usedOnce:
            try context.require(try await first.use("a", until: end, now: now), "use rejected a new token")
            try context.require(try await !second.use("a", until: end, now: now), "use accepted a token twice")
            let isUsedAgain = try await first.use("a", until: end, now: end - 1)
            try context.require(!isUsedAgain, "use accepted a token again before its expiry")
        case .othersStay:
            _ = try await first.use("a", until: end, now: now)
            try context.require(try await second.use("b", until: end, now: now), "use rejected another token")
            try context.require(
                try await !first.use("a", until: end, now: now),
                "after another token was used, use accepted a used token again")
        case .markEndsWithToken:
            _ = try await first.use("a", until: end, now: now)
            let isFree = try await second.use("a", until: end + 60, now: end)
            try context.require(isFree, "use rejected an id whose token has expired")
            let isUsedAgain = try await first.use("a", until: end + 60, now: end + 59)
            try context.require(!isUsedAgain, "use accepted a token again before its later expiry")
        case .takenBack:
            _ = try await first.use("a", until: end, now: now)
            try await second.forget("a")
            try context.require(try await first.use("a", until: end, now: now), "use rejected a token after forget")
        case .unknownIsTakenBack:
            try await first.forget("a")
            try context.require(try await second.use("a", until: end, now: now), "use rejected a new token")
        case .oneOfManyUses:
            let users = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<16 {
                    let store = number.isMultiple(of: 2) ? first : second
                    group.addTask { try await store.use("a", until: end, now: now) }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            try context.require(users == 1, "\(users) of 16 concurrent callers used the same token")
        case .longIDs:
            let id = String(repeating: "long\u{0}é ", count: 2000)
            try context.require(try await first.use(id, until: end, now: now), "use rejected a long id")
            try context.require(try await second.use(id + "b", until: end, now: now), "use confused two long ids")
            try context.require(
                try await !second.use(id, until: end, now: now), "use accepted a token with a long id twice")
        }
    }
}
