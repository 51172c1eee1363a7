package import Carnet
package import CarnetProtocol

extension OAuthClient {
    /// Shows the page that ends the session at the provider, until it sends the browser back.
    ///
    /// - Throws: `OAuthError`, if the page was not shown or did not come back.
    package func showEndSession(_ page: Secret, state: Secret?, with agent: any UserAgent) async throws {
        guard let redirectURI = registration.postLogoutRedirectURI else {
            throw OAuthError(
                .signOut, .badRegistration, "the provider's sign-out page would not return to the app",
                hint: "register a post-logout redirect URI, and give it as ClientRegistration.postLogoutRedirectURI")
        }
        do {
            let presenter = try await agent.prepare(redirectURI: redirectURI)
            do {
                _ = try await presenter.present(page.reveal()) { [provider] callback in
                    EndSessionRequest.isReturn(callback, state: state, at: provider)
                }
                await presenter.close()
            } catch {
                await presenter.close()
                throw error
            }
        } catch let error as UserAgentError {
            throw OAuthError(
                .signOut, error.kind == .cancelled ? .cancelled : .unsupported,
                "the session at the provider may continue: \(error.reason)")
        } catch is CancellationError {
            throw OAuthError(.signOut, .cancelled, "the session at the provider may continue: the page was closed")
        }
    }
}
