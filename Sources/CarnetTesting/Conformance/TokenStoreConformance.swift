public import Carnet

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
        case .roundTrip: try await roundTrip(stores, context)
        case .missingRecordIsNil: try await missingRecordIsNil(stores, context)
        case .overwrite: try await overwrite(stores, context)
        case .staleRevisionConflicts: try await staleRevisionConflicts(stores, context)
        case .absentRecordConflicts: try await absentRecordConflicts(stores, context)
        case .removedRecordConflicts: try await removedRecordConflicts(stores, context)
        case .recordSignedInAgainConflicts: try await recordSignedInAgainConflicts(stores, context)
        case .remove: try await remove(stores, context)
        case .staleRemovalChangesNothing: try await staleRemovalChangesNothing(stores, context)
        case .keys: try await keys(stores, context)
        case .sessionsAreFound: try await sessionsAreFound(stores, context)
        case .otherBytesAreAnotherAccount: try await otherBytesAreAnotherAccount(stores, context)
        case .unusualAccountNames: try await unusualAccountNames(stores, context)
        case .largeTokens: try await largeTokens(stores, context)
        case .saveOutlivesCancellation: try await saveOutlivesCancellation(stores, context)
        case .prepareToSaveChangesNothing: try await prepareToSaveChangesNothing(stores, context)
        case .concurrentSwapHasOneWinner: try await concurrentSwapHasOneWinner(stores, context)
        case .lockExcludes: try await lockExcludes(stores, context)
        case .lockIsReleasedAfterError: try await lockIsReleasedAfterError(stores, context)
        case .locksOfOtherKeysAreFree: try await locksOfOtherKeysAreFree(stores, context)
        case .waitForLockIsCancellable: try await waitForLockIsCancellable(stores, context)
        case .lockIsHeldForAsLongAsAsked: try await lockIsHeldForAsLongAsAsked(stores, context)
        }
    }
}
