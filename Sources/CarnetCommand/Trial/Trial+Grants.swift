import Carnet
import CarnetDemo
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSandbox
import HTTPTypes

/// Grants without a page to sign in at.
extension Trial {
    /// The scopes of a grant without a user: the descriptor's, if no user can sign in.
    var ownScopes: [String] {
        setup.provider.hasSignInPage ? [] : setup.provider.scopes.defaults.filter { $0 != "openid" }
    }

    func requestOwnTokens(_ grant: ClientGrant, _ kind: RequestKind, _ result: inout TrialResult) async {
        var step = TrialStep(title: kind == .jwtBearer ? "JWT bearer grant" : "Client credentials grant")
        if kind == .clientCredentials, !client.registration.canAuthenticate {
            step.outcome = .skipped("the test client has no credentials, because the provider's clients are public")
            return finish(step, &result)
        }
        if kind == .jwtBearer, client.registration.shared.value.signingKey == nil {
            step.outcome = .skipped("the test client has no key to sign an assertion with")
            return finish(step, &result)
        }
        do {
            let tokens = try await client.tokens(for: grant)
            step.findings = Self.findings(of: tokens)
            if !setup.provider.hasSignInPage { result.granted = tokens.scopes }
        } catch {
            step.outcome = failed(error)
        }
        let exchanges = recorder.take()
        let discovery = exchanges.filter { $0.step == .discovery }
        if !discovery.isEmpty { finish(TrialStep(title: "Discovery", exchanges: discovery), &result) }
        step.exchanges = exchanges.filter { $0.step != .discovery }
        finish(step, &result)
        guard !step.outcome.isFailure, !setup.provider.hasSignInPage else { return }
        let map = ResourceMap(of: setup.provider.withoutMetadata)
        result.resources = map.access(granted: result.granted)
        guard let open = result.resources.first(where: \.isOpen)?.resource else { return }
        step = TrialStep(title: "Resource: \(open.title)")
        do {
            _ = try await client.send(try HTTPRequest(for: open), with: grant, declared: [open])
        } catch {
            step.outcome = failed(error)
        }
        step.exchanges = recorder.take()
        finish(step, &result)
    }

    func exchangeToken(_ result: inout TrialResult) async {
        var step = TrialStep(title: "Token exchange")
        do {
            guard let subject = try await subjectToken() else {
                step.outcome = .skipped("the test client has no token to exchange")
                return finish(step, &result)
            }
            let exchanged = try await client.exchange(TokenExchange(TokenExchange.TypedToken(subject)))
            step.findings = Self.findings(of: exchanged.tokens)
        } catch {
            step.outcome = failed(error)
        }
        step.exchanges = recorder.take()
        finish(step, &result)
    }

    /// A token of the client itself, or, where only users have some, one of another sign-in.
    private func subjectToken() async throws -> Secret? {
        let page = setup.provider.hasSignInPage
        if client.registration.canAuthenticate, !page || setup.provider.grantsWithoutPage.contains(.clientCredentials) {
            return try await client.tokens(for: .clientCredentials()).accessToken
        }
        guard page else { return nil }
        let request = try await client.beginSignIn()
        let (url, form) = try await sandbox.callback(approving: request.url)
        let callback =
            form.map { AuthorizationCallback(postedTo: url, form: $0) } ?? AuthorizationCallback(url: url)
        let session = try await client.completeSignIn(
            callback, for: request.pending, account: "exchange", choosing: Self.chooser)
        return try await session.storedTokens().accessToken
    }

    func signInOnDevice(_ result: inout TrialResult) async {
        var step = TrialStep(title: "Sign-in on another device")
        var session: Session?
        do {
            let device = try await client.beginDeviceSignIn()
            try await sandbox.approveDevice(userCode: device.userCode)
            session = try await client.completeDeviceSignIn(device, account: "device", choosing: Self.chooser)
            if let tokens = try await session?.storedTokens() {
                step.findings = Self.findings(of: tokens)
                if !setup.provider.hasSignInPage { result.granted = tokens.scopes }
            }
        } catch let refusal as SandboxRefusal {
            step.outcome = .failed(Failure(.failed, "the device's page: \(refusal.text)"))
        } catch {
            step.outcome = failed(error)
        }
        step.exchanges = recorder.take()
        finish(step, &result)
        if let session, !setup.provider.hasSignInPage { await use(session, &result) }
    }
}

extension ClientRegistration {
    fileprivate var canAuthenticate: Bool {
        let members = shared.value
        return members.clientSecret != nil || members.signingKey != nil || members.certificate != nil
    }
}
