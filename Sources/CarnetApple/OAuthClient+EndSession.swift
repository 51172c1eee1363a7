package import Carnet
package import CarnetProtocol

extension OAuthClient {
    /// Shows the page that ends the session at the provider, until it sends the browser back.
    ///
    /// - Throws: `OAuthError`, if the page was not shown or did not come back.
    package func showEndSession(_ page: Secret, answering state: Secret?, with agent: any UserAgent) async throws {
        guard let redirectURI = registration.postLogoutRedirectURI else {
            throw OAuthError(
                .signOut, .badRegistration, "the page that ends the session at the provider would not come back",
                hint: "register a post-logout redirect URI, and give it as ClientRegistration.postLogoutRedirectURI")
        }
        do {
            let presenter = try await agent.prepare(redirectURI: redirectURI)
            do {
                _ = try await presenter.present(page.reveal()) { [provider] callback in
                    EndSessionRequest.isReturn(callback, answering: state, at: provider)
                }
                await presenter.close()
            } catch {
                await presenter.close()
                throw error
            }
        } catch let error as UserAgentError {
            throw OAuthError(
                .signOut, error.kind == .cancelled ? .cancelled : .unsupported,
                "the session at the provider may go on: \(error.reason)")
        } catch is CancellationError {
            throw OAuthError(.signOut, .cancelled, "the session at the provider may go on: the page was closed")
        }
    }
}
