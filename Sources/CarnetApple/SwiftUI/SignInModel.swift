public import Carnet
import CarnetProtocol
import Foundation
public import Observation

/// The sign-in of one account at one provider, for any view.
///
/// It outlives a view: keep it in the application, e.g. as `@State` of the `App`.
@MainActor
@Observable
public final class SignInModel {
    public enum Phase: Hashable, Sendable {
        case signedOut
        case signingIn
        case signedIn
        /// The user has to sign in again if `signInAgain` is true. Otherwise the provider or the store is unavailable, and
        /// the tokens are kept. The reason is for a developer.
        case needsAttention(reason: String, signInAgain: Bool)
    }

    public private(set) var phase = Phase.signedOut
    /// The session, also while the provider is unavailable.
    public private(set) var session: Session?
    /// Why the last sign-in or sign-out failed; `nil` if the user cancelled it.
    public private(set) var failure: (any Error)?

    /// Why the last sign-in failed, and what to change, if no user can help it, but the app's developer.
    package var mistake: String? {
        (failure as? OAuthError).flatMap { $0.disposition == .fixConfiguration ? "\($0)" : nil }
    }

    public let client: OAuthClient
    private let way: Way
    private let account: String?
    @ObservationIgnored private var attempt: Task<Session, any Error>?
    @ObservationIgnored private var watch: Task<Void, Never>?

    private enum Way {
        case agent(any UserAgent)
        case urls(URLSignIn)
    }

    /// - Parameters:
    ///   - agent: Shows the page, e.g. `WebAuthenticationSessionUserAgent()`.
    ///   - account: The name to keep the account under; see `OAuthClient.completeSignIn`.
    public init(_ client: OAuthClient, agent: any UserAgent, account: String? = nil) {
        self.client = client
        self.account = account
        way = .agent(agent)
    }

    /// A sign-in whose callback the application passes to `open(_:)`.
    ///
    /// - Parameter urls: The sign-in through URLs, with the same client.
    public init(_ client: OAuthClient, urls: URLSignIn, account: String? = nil) {
        self.client = client
        self.account = account
        way = .urls(urls)
    }

    deinit {
        watch?.cancel()
        attempt?.cancel()
    }

    /// Restores the account that signed in before, without the network. Call it when the application starts.
    public func restore() async {
        guard phase != .signingIn, session == nil else { return }
        do {
            let names = if let account { [account] } else { try await client.accounts() }
            for name in names {
                guard let found = try await client.session(for: name) else { continue }
                // A sign-in may have begun, or even succeeded, meanwhile.
                guard phase != .signingIn, session == nil else { return }
                follow(found)
                return
            }
        } catch {
            guard phase != .signingIn, session == nil else { return }
            let signInAgain = (error as? OAuthError).map { $0.disposition != .tryLater } ?? false
            phase = .needsAttention(reason: "\(error)", signInAgain: signInAgain)
        }
    }

    /// Signs in. Does nothing while a sign-in sheet is shown. If a sign-in waits for `open(_:)`, it begins again.
    public func signIn(_ options: AuthorizationOptions = AuthorizationOptions()) async {
        guard attempt == nil else { return }
        failure = nil
        phase = .signingIn
        switch way {
        case .agent(let agent):
            let task = Task { [client, account] in
                try await client.signIn(with: agent, options: options, account: account)
            }
            attempt = task
            let outcome = await withTaskCancellationHandler {
                await task.result
            } onCancel: {
                task.cancel()
            }
            attempt = nil
            end(outcome)
        case .urls(let urls): do { try await urls.begin(options) } catch { end(.failure(error)) }
        }
    }

    /// Ends a sign-in that is under way.
    public func cancel() {
        attempt?.cancel()
        if attempt == nil, phase == .signingIn { end(.failure(CancellationError())) }
    }

    /// Completes a sign-in whose callback arrived as a URL, even if the application was restarted meanwhile.
    ///
    /// - Returns: `false` if the URL is not the callback of a pending sign-in.
    @discardableResult
    public func open(_ url: URL) async -> Bool {
        guard case .urls(let urls) = way else { return false }
        do {
            guard let session = try await urls.complete(url, account: account) else { return false }
            end(.success(session))
        } catch {
            end(.failure(error))
        }
        return true
    }

    /// Signs out. With `everywhere`, it also shows the page that ends the session at the provider, if there is one.
    ///
    /// - Returns: The result; `nil` if nobody was signed in, or if the tokens could not be deleted (see `failure`).
    @discardableResult
    public func signOut(_ extent: SignOut = .revoke) async -> SignOutOutcome? {
        cancel()
        guard let session else {
            phase = .signedOut
            return nil
        }
        failure = nil
        watch?.cancel()
        do {
            var outcome = try await session.signOut(extent)
            self.session = nil
            phase = .signedOut
            if let page = outcome.endSessionURL, case .agent(let agent) = way {
                do {
                    try await client.showEndSession(page, state: outcome.endSessionState, with: agent)
                } catch let error as OAuthError {
                    outcome.failures.append(error)
                }
            }
            return outcome
        } catch {
            failure = error
            follow(session)
            return nil
        }
    }

    /// Takes up the account again, or asks the provider once more.
    package func tryAgain() async {
        guard let session else { return await restore() }
        // The session says what comes of it.
        _ = try? await session.tokens()
    }

    private func end(_ outcome: Result<Session, any Error>) {
        switch outcome {
        case .success(let session): follow(session)
        case .failure(let error):
            if !(error is CancellationError || (error as? OAuthError)?.kind == .cancelled) {
                failure = error
                if let mistake { client.log(mistake: mistake) }
            }
            // A failed sign-in leaves the earlier session unchanged.
            if let session { follow(session) } else { phase = .signedOut }
        }
    }

    /// Shows the states of a session from now on.
    private func follow(_ session: Session) {
        self.session = session
        phase = .signedIn
        watch?.cancel()
        watch = Task { [weak self, states = session.states] in
            for await state in states {
                guard !Task.isCancelled else { return }
                self?.show(state)
            }
        }
    }

    private func show(_ state: SessionState) {
        guard phase != .signingIn else { return }
        switch state {
        case .signedIn: phase = .signedIn
        case .refreshing: break
        case .tryLater(let reason): phase = .needsAttention(reason: reason, signInAgain: false)
        case .ended: phase = .needsAttention(reason: "the session is over", signInAgain: true)
        }
    }
}
