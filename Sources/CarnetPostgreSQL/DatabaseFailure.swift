import Carnet

/// Why a statement failed.
enum DatabaseFailure: Error {
    /// The connection is lost; a new one may succeed. It is unknown whether the statement ran.
    case lost(String)
    case refused(state: String, message: String)
    /// There is no encrypted connection to the right server.
    case untrusted(String)

    static let undefinedTable = "42P01"
    static let undefinedColumn = "42703"
    static let duplicateTable = "42P07"

    /// States of a server that shuts down, starts, or has become a replica.
    private static let passing: Set = ["57P01", "57P02", "57P03", "25006", "53300"]
    /// The value cannot be stored in the database's encoding.
    private static let encoding: Set = ["22021", "22P05"]

    init(state: String, message: String) {
        let isLost = Self.passing.contains(state) || state.hasPrefix("08")
        self = isLost ? .lost(message) : .refused(state: state, message: message)
    }

    /// Why a connection failed. libpq reports it as text only, in its verbose form: `…: FATAL:  28P01: …` for an
    /// error of the server, its own message otherwise.
    init(connecting message: String) {
        if let words = try? /: +[^ :]+: +([0-9A-Z]{5}): (.*)/.firstMatch(in: message) {
            self.init(state: String(words.1), message: String(words.2))
        } else if message.contains("certificate") || message.contains("does not support SSL") {
            self = .untrusted(message)
        } else {
            self = .lost(message)
        }
    }

    var storeError: TokenStoreError {
        switch self {
        case .lost(let message): TokenStoreError(.unavailable, "the database is unavailable: \(message)")
        case .refused(let state, let message) where Self.encoding.contains(state):
            TokenStoreError(.unacceptable, "the database cannot store this name: \(message)")
        case .refused(let state, let message):
            TokenStoreError(.unavailable, "the database returned an error: \(message) (\(state))")
        case .untrusted(let message):
            TokenStoreError(.unavailable, "the database's certificate or encryption was rejected: \(message)")
        }
    }
}
