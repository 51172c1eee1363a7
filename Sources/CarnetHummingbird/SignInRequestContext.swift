public import CarnetWeb
public import Hummingbird

/// A request context that knows who is signed in.
public protocol SignInRequestContext: RequestContext {
    /// Set by `SignInMiddleware`.
    var signIn: SignInState { get set }
}

/// Who is signed in at the browser that sent a request.
public struct SignInState: Sendable {
    /// `nil` if nobody is.
    public internal(set) var session: WebSession?
    var web: WebSignIn?

    public init() {}

    /// The latest sign-in.
    public var account: WebAccount? { session?.account() }

    /// The tokens of the latest sign-in, or of that with a provider.
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
    /// - Throws: `HTTPError` 401 if there are none any more; `TokenStoreError`.
    public func tokens(for account: WebAccount) async throws -> Session {
        guard let tokens = try await web?.connection(of: account) else {
            throw HTTPError(.unauthorized, message: "sign in first")
        }
        return tokens
    }

    /// The profile of the latest sign-in, as the provider has it now.
    ///
    /// - Throws: as `tokens(of:)`; `OAuthError`.
    public func profile(of provider: ProviderID? = nil) async throws -> Profile {
        try await tokens(of: provider).profile()
    }
}

/// The context of a host that needs no other.
public struct BasicSignInRequestContext: SignInRequestContext {
    public var coreContext: CoreRequestContextStorage
    public var signIn = SignInState()

    public init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
    }
}
