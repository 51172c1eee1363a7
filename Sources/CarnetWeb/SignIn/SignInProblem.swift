public import Carnet
public import HTTPTypes

/// Why a sign-in or sign-out failed, for the user's page and for the log.
public struct SignInProblem: Sendable {
    public let status: HTTPResponse.Status
    /// What happened, in one sentence.
    public let title: String
    /// The meaning of the problem, and what the user can do.
    public let advice: String
    /// The provider to try again with.
    public let provider: ProviderID?
    package let returnTo: ReturnTarget
    /// The reference, the same on the page and in the log.
    public let id: String
    /// For the log, without secrets: an `OAuthError` or a `TokenStoreError`.
    package let cause: (any Error)?
}
