import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// A value that is created at its first use and then kept. A failure is kept, too.
final class MadeOnce<Value: Sendable>: Sendable {
    private let kept = Lock<Result<Value, OAuthError>?>(nil)

    func value(_ make: () throws(OAuthError) -> Value) throws(OAuthError) -> Value {
        let result = kept.withLock { kept in
            if let kept { return kept }
            let made = Result(catching: make)
            kept = made
            return made
        }
        return try result.get()
    }
}
