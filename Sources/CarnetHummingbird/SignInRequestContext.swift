public import CarnetWeb
public import Hummingbird

/// A request context with the signed-in user.
public protocol SignInRequestContext: RequestContext {
    /// Set by `SignInMiddleware`.
    var signIn: SignInState { get set }
}

/// The signed-in user of a request's browser.
public struct SignInState: Sendable {
    /// `nil` if nobody is signed in. `SignInMiddleware` sets it; so can a host's unit test.
    public var session: WebSession?
    var web: WebSignIn?

    public init() {}

    /// The latest sign-in.
    public var account: WebAccount? { session?.account() }

    /// The tokens of the latest sign-in, or of the latest one with a provider.
    ///
    /// - Throws: `HTTPError` 401 if there is none; `TokenStoreError`.
    public func tokens(of provider: ProviderID? = nil) async throws -> Session {
        guard let account = session?.account(of: provider) else {
            throw HTTPError(.unauthorized, message: "sign in first")
        }
        return try await tokens(for: account)
    }

    /// The tokens of one of several accounts of `session`.
    ///
    /// - Throws: `HTTPError` 401 if they no longer exist; `TokenStoreError`.
    public func tokens(for account: WebAccount) async throws -> Session {
        guard let tokens = try await web?.tokenSession(of: account) else {
            throw HTTPError(.unauthorized, message: "sign in first")
        }
        return tokens
    }

    /// The current profile of the latest sign-in, fetched from the provider.
    ///
    /// - Throws: As `tokens(of:)`; `OAuthError`.
    public func profile(of provider: ProviderID? = nil) async throws -> Profile {
        try await tokens(of: provider).profile()
    }
}

/// A context without properties of the host's own.
public struct BasicSignInRequestContext: SignInRequestContext {
    public var coreContext: CoreRequestContextStorage
    public var signIn = SignInState()

    public init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
    }
}
