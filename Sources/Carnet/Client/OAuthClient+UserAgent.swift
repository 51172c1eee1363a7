import CarnetDescriptors
public import CarnetProtocol
import Logging

extension OAuthClient {
    /// A complete sign-in through a user agent.
    ///
    /// - Throws: `OAuthError`, `TokenStoreError`, `CancellationError`.
    public func signIn(
        with agent: any UserAgent,
        options: AuthorizationOptions = AuthorizationOptions(),
        account: String? = nil,
        choosing: ConnectionChooser? = nil
    ) async throws -> Session {
        try await signIn(with: agent, options: options, account: account, continuing: nil, choosing: choosing)
    }

    func signIn(
        with agent: any UserAgent, options: AuthorizationOptions, account: String?, continuing old: Connection?,
        choosing: ConnectionChooser?
    ) async throws -> Session {
        // Checked before the page is shown.
        try await prepareToSave(as: account)
        var agent = agent
        if provider.authorization.prefersEphemeralSession, let choosing = agent as? any EphemeralUserAgent {
            agent = choosing.ephemeral
        }
        // The sheet of an app has no port, and says itself what to change.
        let advice = agent is any EphemeralUserAgent ? "" : Advice.listener.next
        let presenter = try await mappingUserAgentErrors(advice) {
            try await agent.prepare(
                for: provider.authorization.responseMode ?? options.delivery.responseMode ?? .query,
                redirectURI: registration.redirectURI)
        }
        do {
            var options = options
            options.redirectURI = presenter.redirectURI
            let request = try await beginSignIn(options)
            let callback = try await mappingUserAgentErrors(advice) {
                try await presenter.present(request.url) { [provider, registration] callback in
                    request.pending.matches(callback, at: provider, for: registration)
                }
            }
            await presenter.close()
            return try await completeSignIn(
                callback, for: request.pending, account: account, continuing: old, choosing: choosing
            ) { $0 }
        } catch {
            await presenter.close()
            throw error
        }
    }

    /// Writes a developer's mistake to the log: no user can correct it.
    package func log(mistake: String) {
        exchanger.logger.error("A sign-in failed", metadata: ["provider": "\(provider.id)", "cause": "\(mistake)"])
    }

    private func mappingUserAgentErrors<Result: Sendable>(
        _ advice: String, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as UserAgentError {
            switch error.kind {
            case .cancelled: throw OAuthError(.authorization, .cancelled, error.reason)
            case .timeout: throw OAuthError(.callback, .expiredAttempt, error.reason)
            case .cannotListen, .cannotPresent:
                throw OAuthError(.authorization, .unsupported, error.reason, hint: advice)
            }
        }
    }
}
