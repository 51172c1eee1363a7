public import Carnet
import CarnetProtocol

/// The requirements of `TokenStore`, as checks for any test framework.
///
///     @Test(arguments: TokenStoreConformance.allCases)
///     func conforms(to check: TokenStoreConformance) async throws {
///         let store = MyStore()
///         try await check.run(on: store, and: store)
///     }
public enum TokenStoreConformance: CaseIterable, Sendable {
    case roundTrip
    case missingRecordIsNil
    case overwrite
    case staleRevisionConflicts
    case absentRecordConflicts
    case removedRecordConflicts
    case recordSignedInAgainConflicts
    case remove
    case staleRemovalChangesNothing
    case keys
    case sessionsAreFound
    case otherBytesAreAnotherAccount
    case unusualAccountNames
    case largeTokens
    case saveOutlivesCancellation
    case prepareToSaveChangesNothing
    case concurrentSwapHasOneWinner
    case lockExcludes
    case lockIsReleasedAfterError
    case locksOfOtherKeysAreFree
    case waitForLockIsCancellable
    case lockIsHeldForAsLongAsAsked

    typealias Stores = (first: any TokenStore, second: any TokenStore)

    /// Tests two instances on one empty storage, e.g. one folder, or one store twice.
    ///
    /// - Throws: `ConformanceViolation`, or errors of the store.
    public func run(on first: any TokenStore, and second: any TokenStore) async throws {
        let stores = (first: first, second: second)
        let context = CheckContext(name: "\(self)")
        switch self {
        case .roundTrip:
            let saved = Connection.sample(account: "a@example.com")
            let revision = try await first.save(saved, replacing: nil)
            let loaded = try await second.load(saved.key)
            try context.require(loaded?.connection == saved, "load returned another record than the one that was saved")
            try context.require(
                loaded?.revision == revision, "load and save returned different revisions of one record")
        case .missingRecordIsNil:
            let loaded = try await first.load(ConnectionKey(provider: "acme", account: "nobody"))
            try context.require(loaded == nil, "an account that was never saved has a record")
            try context.require(try await first.keys().isEmpty, "an empty store lists accounts")
        case .overwrite:
            let old = Connection.sample(token: "old")
            let new = Connection.sample(token: "new")
            let replaced = try await first.save(old, replacing: nil)
            let revision = try await second.save(new, replacing: replaced)
            try context.require(replaced != revision, "two different records have the same revision")
            let last = try await first.save(old, replacing: nil)
            let loaded = try await second.load(old.key)
            try context.require(loaded?.connection == old, "saving with no revision did not replace the record")
            try context.require(loaded?.revision == last, "the revision is not that of the last save")
        case .staleRevisionConflicts:
            let stale = try await first.save(.sample(token: "1"), replacing: nil)
            let current = try await second.save(.sample(token: "2"), replacing: stale)
            try await requireConflict(context, "a save that replaces a stale revision succeeded") {
                try await first.save(.sample(token: "3"), replacing: stale)
            }
            let loaded = try await first.load(Connection.sample().key)
            try context.require(
                loaded?.connection == .sample(token: "2") && loaded?.revision == current,
                "a save that conflicted changed the record")
        case .absentRecordConflicts:
            try await requireConflict(context, "a save that replaces a record that does not exist succeeded") {
                try await first.save(.sample(), replacing: "1")
            }
            try context.require(try await first.keys().isEmpty, "a save that conflicted left a record")
        case .removedRecordConflicts:
            let revision = try await first.save(.sample(), replacing: nil)
            try await second.remove(Connection.sample().key)
            try await requireConflict(context, "a save restored a removed record, for example after a sign-out") {
                try await first.save(.sample(token: "2"), replacing: revision)
            }
        case .recordSignedInAgainConflicts:
            let revision = try await first.save(.sample(), replacing: nil)
            try await second.remove(Connection.sample().key)
            _ = try await second.save(.sample(token: "2"), replacing: nil)
            let reason = "a save replaced the record of a later sign-in: a revision was repeated"
            try await requireConflict(context, reason) {
                try await first.save(.sample(token: "3"), replacing: revision)
            }
            let loaded = try await first.load(Connection.sample().key)?.connection
            try context.require(loaded == .sample(token: "2"), "a save that conflicted changed the record")
        case .remove: try await remove(stores, context)
        case .staleRemovalChangesNothing: try await staleRemovalChangesNothing(stores, context)
        case .keys: try await keys(stores, context)
        case .sessionsAreFound: try await sessionsAreFound(stores, context)
        case .otherBytesAreAnotherAccount: try await otherBytesAreAnotherAccount(stores, context)
        case .unusualAccountNames: try await unusualAccountNames(stores, context)
        case .largeTokens:
            let connection = Connection.sample(token: String(repeating: "token+/=", count: 131_072))
            _ = try await first.save(connection, replacing: nil)
            let loaded = try await second.load(connection.key)?.connection
            try context.require(loaded == connection, "an access token of 1 MiB was not saved completely")
        case .saveOutlivesCancellation:
            // The old tokens may be void when new ones are saved, so a cancelled task saves all the same.
            let saving = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await first.save(.sample(), replacing: nil)
            }
            guard case .success(let revision) = await saving.result else {
                throw context.violation("a save failed because its task was cancelled")
            }
            let loaded = try await second.load(Connection.sample().key)
            try context.require(loaded?.revision == revision, "a save of a cancelled task saved nothing")
        case .prepareToSaveChangesNothing:
            try await first.prepareToSave(Connection.sample().key)
            try context.require(try await second.keys().isEmpty, "prepareToSave left a record")
            let revision = try await first.save(.sample(), replacing: nil)
            try await second.prepareToSave(Connection.sample().key)
            let loaded = try await first.load(Connection.sample().key)
            try context.require(
                loaded?.connection == .sample() && loaded?.revision == revision, "prepareToSave changed a record")
        case .concurrentSwapHasOneWinner: try await concurrentSwapHasOneWinner(stores, context)
        case .lockExcludes: try await lockExcludes(stores, context)
        case .lockIsReleasedAfterError: try await lockIsReleasedAfterError(stores, context)
        case .locksOfOtherKeysAreFree:
            let entered = try await first.withLock(on: ConnectionKey(provider: "acme", account: "one")) {
                try await second.withLock(on: ConnectionKey(provider: "acme", account: "two")) { true }
            }
            try context.require(entered, "the lock of one account blocks another account")
        case .waitForLockIsCancellable: try await waitForLockIsCancellable(stores, context)
        case .lockIsHeldForAsLongAsAsked: try await lockIsHeldForAsLongAsAsked(stores, context)
        }
    }
}
