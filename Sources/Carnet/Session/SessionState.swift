import CarnetProtocol

/// What a user interface shows of a session.
public enum SessionState: Hashable, Sendable {
    /// The tokens are of use.
    case signedIn
    /// They are being renewed.
    case refreshing
    /// They could not be renewed, and are kept; the reason is fit to be shown.
    case tryLater(reason: String)
    /// The account has to sign in again.
    case ended
}

extension SessionState {
    /// What a failure says of the session; `nil` if nothing.
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
