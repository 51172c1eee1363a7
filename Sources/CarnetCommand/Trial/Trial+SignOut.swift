import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetSandbox
import CarnetTesting

extension Trial {
    /// Revokes the tokens, and opens the provider's page that ends the session, if it has one.
    func signOut(_ session: Session) async {
        var page: Secret?
        var refusal: OAuthError?
        await step("Revocation") { step in
            let outcome = try await session.signOut(.everywhere)
            (page, refusal) = (outcome.endSessionURL, outcome.failures.first { $0.step == .signOut })
            step.exchanges = recorder.take()
            if let failure = outcome.failures.first(where: { $0.step != .signOut }) {
                step.outcome = failed(failure)
            } else if !outcome.isRevoked, step.exchanges.isEmpty {
                step.outcome = .skipped("the provider has no revocation endpoint")
            } else if !outcome.isRevoked {
                step.findings = [Named("sent", "connection.on_disconnect alone: there is no revocation endpoint")]
            }
        }
        // No provider has to have such a page.
        guard page != nil || refusal.map({ $0.kind != .missingEndpoint }) ?? false else { return }
        await step("Sign-out at the provider") { step in
            if let refusal { throw refusal }
            guard let url = page?.reveal() else { return }
            step.exchanges = [TrialStep.Exchange(step: .signOut, request: shown(endSession: url))]
            do {
                let target = try await sandbox.signOut(at: url)
                step.findings = [Named("then", target == nil ? "the provider's page stays" : "the browser returns")]
            } catch let refusal as SandboxRefusal {
                throw failed("the page that ends the session refused the request", refusal, of: "logout")
            }
        }
    }

    /// The page's URL without the ID token and the state, unless these are to be shown.
    private func shown(endSession url: String) -> ShownRequest {
        let rename = setup.provider.logout.request.rename
        let hidden = ["id_token_hint", "state"].map { rename[$0] ?? $0 }
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard !showsSecrets, parts.count == 2 else { return ShownRequest(page: url) }
        let pairs = parts[1].split(separator: "&").map { pair in
            let name = String(pair.prefix { $0 != "=" })
            return hidden.contains(name) ? "\(name)=\(Secret(""))" : String(pair)
        }
        return ShownRequest(page: "\(parts[0])?\(pairs.joined(separator: "&"))")
    }
}
