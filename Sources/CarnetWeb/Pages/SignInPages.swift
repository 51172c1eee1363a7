public import Carnet

/// The pages of a sign-in. A host may replace them.
public protocol SignInPages: Sendable {
    /// The `Content-Security-Policy` of the pages. It must not limit `form-action` to the site, because the form's
    /// redirect leads to the provider.
    var contentSecurityPolicy: String { get }

    /// The choice of providers: a form for each, which posts `return_to` to its `action`.
    func choice(_ page: SignInChoice) -> String

    /// Why a sign-in failed, with its `id`. A link continues at `page.returnTo`.
    func problem(_ problem: SignInProblem, _ page: SignInChoice) -> String

    /// The result of a sign-out, with a link to `page.returnTo`; `nil` if it is no longer known.
    func signedOut(_ report: SignOutReport?, _ page: SignInChoice) -> String
}

/// The content of the page of providers.
public struct SignInChoice: Sendable {
    public struct Choice: Sendable {
        public let id: ProviderID
        public let name: String
        /// The brand colour as CSS writes it, if the descriptor has one.
        public let color: String?
        /// Black or white, whichever has more contrast on `color`: at least 4.5 to 1 (WCAG 2.2, success criterion 1.4.3).
        public let textColor: String?
        /// The URL to which the provider's form is posted.
        public let action: String
    }

    public let providers: [Choice]
    /// The path of the site that the user wanted. The forms post it as `return_to`.
    public let returnTo: String
    /// The page of all providers.
    public let path: String
    /// The current session.
    public let session: WebSession?
    /// Whether the forms ask the provider for another account, by the field `another`.
    package var asksForAnother = false
    /// The name of the session's provider, if a sign-out can end the session there, too.
    package var signOutName: String?
}
