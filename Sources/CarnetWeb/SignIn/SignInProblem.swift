public import Carnet
public import HTTPTypes

/// Why a sign-in or sign-out did not go on, for the person in front of the screen and for the log.
public struct SignInProblem: Sendable {
    public let status: HTTPResponse.Status
    /// What happened, in one sentence.
    public let title: String
    /// What it means, and what to do.
    public let advice: String
    /// The provider to try again with.
    public let provider: ProviderID?
    public let returnTo: ReturnTarget
    /// The same in the page and in the log.
    public let id: String
    /// For the log; without secrets.
    public let cause: OAuthError?
}
