public import Carnet

/// The pages that a sign-in shows. A host may bring its own.
public protocol SignInPages: Sendable {
    /// The `Content-Security-Policy` of the pages. It must not limit `form-action` to the site, for the form's redirect
    /// leads to the provider.
    var contentSecurityPolicy: String { get }

    /// The choice of providers: for each a form that posts `return_to` to `WebSignIn.startPath(of:)`.
    func choice(_ page: SignInChoice) -> String

    /// Why a sign-in did not go on, with its `id`.
    func problem(_ problem: SignInProblem, _ page: SignInChoice) -> String

    /// What a sign-out did, with a link to `report.returnTo`; `nil` if that is not known any more.
    func signedOut(_ report: SignOutReport?, _ page: SignInChoice) -> String
}

/// What the page of providers says.
public struct SignInChoice: Sendable {
    public struct Choice: Sendable {
        public let id: ProviderID
        public let name: String
        /// The brand's, if the descriptor says one.
        public let color: BrandColor?
        /// Where its form is posted to.
        public let action: String
    }

    public let providers: [Choice]
    public let returnTo: ReturnTarget
    /// The page of all providers.
    public let path: String
    /// Who is signed in already.
    public let session: WebSession?
}
