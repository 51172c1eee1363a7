import CarnetProtocol

/// The state of a session, for a user interface.
public enum SessionState: Hashable, Sendable {
    /// The tokens are valid.
    case signedIn
    /// The tokens are being refreshed.
    case refreshing
    /// The refresh failed, and the tokens are kept. The reason may be shown.
    case tryLater(reason: String)
    /// The account must sign in again.
    case ended
}

extension SessionState {
    /// The state after a failure; `nil` if it does not change.
    init?(after error: any Error) {
        switch error {
        case let error as OAuthError:
            if error.kind == .cancelled { return nil }
            self = error.disposition == .signInAgain ? .ended : .tryLater(reason: error.message)
        case let error as TokenStoreError: self = .tryLater(reason: error.reason)
        default: return nil
        }
    }
}
