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
        setup.provider.hasSignInPage ? [] : client.provider.scopes.defaults.filter { $0 != "openid" }
    }

    private var canAuthenticate: Bool {
        let members = client.registration.shared.value
        return client.provider.client.authentication.contains { method in
            method.usesSecret && members.clientSecret != nil || method.usesKey && members.signingKey != nil
                || method.usesCertificate && members.certificate != nil
        }
    }

    func requestOwnTokens(_ grant: ClientGrant, _ kind: RequestKind) async {
        let title = kind == .jwtBearer ? "JWT bearer grant" : "Client credentials grant"
        let outcome = await step(title) { step in
            if kind == .clientCredentials, !canAuthenticate {
                throw TrialStep.Outcome.skipped(
                    "the test client has no credentials, because the provider's clients are public")
            }
            defer {
                let exchanges = recorder.take()
                finishDiscovery(exchanges.filter { $0.step == .discovery })
                step.exchanges = exchanges.filter { $0.step != .discovery }
            }
            let tokens = try await client.tokens(for: grant)
            step.findings = Self.findings(of: tokens)
            if !setup.provider.hasSignInPage { result.granted = tokens.scopes }
        }
        guard case .passed = outcome, !setup.provider.hasSignInPage else { return }
        await listResources { try await client.resourceMap(with: grant).access(granted: result.granted) }
        await callOpen { _ = try await client.send(try HTTPRequest(for: $0), with: grant, declared: [$0]) }
    }

    func exchangeToken() async {
        await step("Token exchange") { step in
            guard let subject = try await subjectToken() else {
                throw TrialStep.Outcome.skipped("the test client has no token to exchange")
            }
            let exchanged = try await client.exchange(TokenExchange(TokenExchange.TypedToken(subject)))
            step.findings = Self.findings(of: exchanged.tokens)
        }
    }

    /// A token of the client itself, or, where only users have some, one of another sign-in.
    private func subjectToken() async throws -> Secret? {
        let (page, grants) = (setup.provider.hasSignInPage, setup.provider.grantsWithoutPage)
        if canAuthenticate, !page || grants.contains(.clientCredentials) {
            return try await client.tokens(for: .clientCredentials()).accessToken
        }
        if !page, grants.contains(.jwtBearer) { return try await client.tokens(for: .assertion()).accessToken }
        guard page else { return nil }
        let request = try await client.beginSignIn()
        let (url, form) = try await sandbox.callback(approving: request.url)
        let session = try await client.completeSignIn(
            AuthorizationCallback(url, form: form), for: request.pending, account: "exchange", choosing: Self.chooser)
        return try await session.storedTokens().accessToken
    }

    func signInOnDevice() async {
        var session: Session?
        await step("Sign-in on another device") { step in
            do {
                let device = try await client.beginDeviceSignIn()
                try await sandbox.approveDevice(userCode: device.userCode)
                session = try await client.completeDeviceSignIn(device, account: "device", choosing: Self.chooser)
            } catch let refusal as SandboxRefusal {
                throw failed("the device's page", refusal, of: "device")
            }
            guard let tokens = try await session?.storedTokens() else { return }
            step.findings = Self.findings(of: tokens)
            if !setup.provider.hasSignInPage { result.granted = tokens.scopes }
        }
        if let session, !setup.provider.hasSignInPage { await use(session) }
    }
}
