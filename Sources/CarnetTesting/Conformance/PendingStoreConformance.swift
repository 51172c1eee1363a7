public import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// The requirements of `PendingStore`, as checks for any test framework.
public enum PendingStoreConformance: CaseIterable, Sendable {
    case keptIsTaken
    case takenOnce
    case unknownIsNil
    case expiredIsNil
    case othersStay
    case oneOfManyTakes
    case largeSignIn

    /// Tests two instances on one empty storage, or one store twice..
    ///
    /// - Throws: `ConformanceViolation`, or errors of the store.
    public func run(on first: any PendingStore, and second: any PendingStore) async throws {
        let context = CheckContext(name: "\(self)")
        let pending = try Self.pending(seed: 1)
        let now = pending.createdAt
        try await first.save(pending, now: now)
        switch self {
        case .keptIsTaken:
            let taken = try await second.take(pending.id, now: now)
            try context.require(taken == pending, "take returned another sign-in than the one that was kept")
        case .takenOnce:
            _ = try await first.take(pending.id, now: now)
            let again = try await second.take(pending.id, now: now)
            try context.require(again == nil, "take returned a sign-in twice")
        case .unknownIsNil:
            let other = try Self.pending(seed: 2)
            try context.require(
                try await second.take(other.id, now: now) == nil, "take returned a sign-in that was never kept")
        case .expiredIsNil:
            let taken = try await second.take(pending.id, now: pending.expiresAt)
            try context.require(taken == nil, "take returned an expired sign-in")
            let again = try await first.take(pending.id, now: now)
            try context.require(again == nil, "take did not remove an expired sign-in")
        case .othersStay:
            let other = try Self.pending(seed: 2)
            try await second.save(other, now: now)
            _ = try await first.take(pending.id, now: now)
            try context.require(
                try await first.take(other.id, now: now) == other, "taking a sign-in also removed another one")
        case .oneOfManyTakes:
            let takers = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<16 {
                    let store = number.isMultiple(of: 2) ? first : second
                    group.addTask { try await store.take(pending.id, now: now) != nil }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            try context.require(takers == 1, "\(takers) of 16 concurrent callers got the same sign-in")
        case .largeSignIn:
            // More than a cookie takes.
            let large = try Self.pending(seed: 3, scopes: (0..<1000).map { "scope-\($0)" })
            try await first.save(large, now: now)
            try context.require(
                try await second.take(large.id, now: now) == large,
                "a sign-in with many scopes was not kept completely")
        }
    }

    private static func pending(seed: UInt64, scopes: [String]? = nil) throws -> PendingAuthorization {
        let text = """
            carnet: 1
            id: acme
            name: Acme
            endpoints: { authorization: https://acme.example/authorize, token: https://acme.example/token }
            """
        let document = DescriptorDocument(SourceFile(path: "acme.yaml", text: text))
        guard let provider = try document.descriptor?.resolve() else {
            throw ConformanceViolation(check: "setup", reason: "\(document.diagnostics)")
        }
        return try AuthorizationRequest(
            to: provider.withoutMetadata,
            as: ClientRegistration(clientID: "client", redirectURI: "https://app.example/callback"),
            options: AuthorizationOptions(scopes: scopes),
            random: SeededRandomSource(seed: seed),
            now: Date(timeIntervalSince1970: 1_767_225_600.25)
        ).pending
    }
}
