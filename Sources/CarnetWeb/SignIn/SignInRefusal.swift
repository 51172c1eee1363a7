import Carnet

/// Thrown by `findUser` of `WebSignIn` to refuse a user. Nobody is signed in, and a page says why.
public struct SignInRefusal: Error, Hashable, Sendable {
    let advice: String

    /// - Parameter advice: What the user can do, in one or two sentences for the page.
    public init(_ advice: String) {
        self.advice = advice
    }
}

extension SignInRefusal: NamedOutcome {
    package var outcome: String { "refused" }
}
