import Carnet

/// Why a statement was not carried out.
enum DatabaseFailure: Error {
    /// The connection is gone; the same may succeed on a new one. Whether it was carried out is not known.
    case lost(String)
    case refused(state: String, message: String)

    static let undefinedTable = "42P01"
    static let undefinedColumn = "42703"
    static let duplicateTable = "42P07"

    /// States of a server that goes down, comes up, or has become a replica.
    private static let passing: Set = ["57P01", "57P02", "57P03", "25006", "53300"]
    /// What is written has no place in the database's encoding.
    private static let encoding: Set = ["22021", "22P05"]

    init(state: String, message: String) {
        let isLost = Self.passing.contains(state) || state.hasPrefix("08")
        self = isLost ? .lost(message) : .refused(state: state, message: message)
    }

    var storeError: TokenStoreError {
        switch self {
        case .lost(let message):
            TokenStoreError(.unavailable, "the database is away: \(message)")
        case .refused(let state, let message) where Self.encoding.contains(state):
            TokenStoreError(.unacceptable, "the database cannot write this name: \(message)")
        case .refused(let state, let message):
            TokenStoreError(.unavailable, "the database refuses: \(message) (\(state))")
        }
    }
}
