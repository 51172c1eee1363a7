import Carnet
import CarnetDemo
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSandbox
import CarnetTesting
import HTTPTypes

/// A whole sign-in at a sandbox that impersonates the provider, and then everything that the tokens are good for.
///
/// Every request is exactly what the real provider would get. The sandbox is strict and shares no code with the
/// engine.
final class Trial {
    let setup: TrialSetup
    let sandbox: Sandbox
    let recorder = TrialRecorder()
    let client: OAuthClient
    let failures: ProviderFailure
    let showsSecrets: Bool
    /// Is given every step as soon as it is over.
    private let report: (TrialStep) -> Void
    var result = TrialResult()

    /// - Parameters:
    ///   - showsSecrets: Whether the report has the codes and tokens of the sandbox, and the secrets of the test client.
    ///   - sandboxRandomBytes: Where the sandbox takes its codes and tokens from.
    /// - Throws: `ResolutionError`.
    init(
        _ setup: TrialSetup, showsSecrets: Bool = false, clock: any WallClock = SystemWallClock(),
        random: any RandomSource = SystemRandomSource(),
        sandboxRandomBytes: @escaping @Sendable (Int) -> [UInt8] = SandboxDefaults.randomBytes,
        report: @escaping (TrialStep) -> Void
    ) throws {
        (self.setup, self.report, self.showsSecrets) = (setup, report, showsSecrets)
        // It returns from the sign-out to where it returns from the sign-in.
        var (registration, known) = (setup.client.registration, setup.client.sandboxClient)
        registration.postLogoutRedirectURI = registration.redirectURI
        known.postLogoutRedirectURIs = [registration.redirectURI]
        let clock = TrialClock(clock)
        sandbox = Sandbox(
            providers: [setup.provider], clients: [setup.provider.id: [known]],
            now: { clock.now }, randomBytes: sandboxRandomBytes)
        failures = ProviderFailure(entry: setup.entry, redirectURI: registration.redirectURI)
        let transport = SandboxTransport(sandbox)
        client = try OAuthClient(
            setup.entry.descriptor, registration: registration,
            transport: showsSecrets ? RevealingTransport(sandbox: transport, recorder: recorder) : transport,
            clock: clock, random: random, observer: recorder)
    }

    /// Runs all steps. What needs a failed step is not tried.
    func run() async -> TrialResult {
        if setup.provider.hasSignInPage {
            await signIn()
            guard !result.hasFailed else { return result }
        }
        for grant in setup.provider.grantsWithoutPage {
            switch grant {
            case .clientCredentials: await requestOwnTokens(.clientCredentials(scopes: ownScopes), grant)
            case .jwtBearer: await requestOwnTokens(.assertion(scopes: ownScopes), grant)
            case .tokenExchange: await exchangeToken()
            case .device: await signInOnDevice()
            default: break
            }
        }
        return result
    }

    private func signIn() async {
        guard let request = await begin(), let callback = await approve(request),
            let session = await complete(callback, request.pending)
        else { return }
        await use(session)
    }

    func use(_ session: Session) async {
        await showProfile(of: session)
        await refresh(session)
        await callResources(with: session)
        await signOut(session)
    }

    /// Runs a step with its exchanges. An error that `body` throws is its outcome.
    @discardableResult
    func step(_ title: String, _ body: (inout TrialStep) async throws -> Void) async -> TrialStep.Outcome {
        var step = TrialStep(title: title)
        do {
            try await body(&step)
        } catch {
            step.outcome = error as? TrialStep.Outcome ?? failed(error)
        }
        step.exchanges += recorder.take()
        finish(step)
        return step.outcome
    }

    func finish(_ step: TrialStep) {
        var step = step
        let place = step.exchanges.lazy.compactMap { [setup] in $0.request.unfilled(setup) }.first
        if !step.outcome.isFailure, let place {
            step.outcome = .failed(
                Failure(
                    .failed, "the request contains \(place), the place of an input, as it is written",
                    next: ["run carnet lint: it names the key"]))
        }
        result.stepCount += 1
        result.requestCount += step.exchanges.count { $0.response != nil }
        if step.outcome.isFailure { result.hasFailed = true }
        report(step)
    }
}

// MARK: - Signing in

extension Trial {
    private func begin() async -> AuthorizationRequest? {
        var request: AuthorizationRequest?
        await step("Authorization request") { step in
            defer { finishDiscovery(recorder.take()) }
            let begun = try await client.beginSignIn()
            let shown = ShownRequest(page: showsSecrets ? begun.url : begun.redactedURL)
            step.exchanges = [TrialStep.Exchange(step: .authorization, request: shown)]
            result.requested = begun.pending.scopes
            request = begun
        }
        return request
    }

    func finishDiscovery(_ exchanges: [TrialStep.Exchange]) {
        if !exchanges.isEmpty { finish(TrialStep(title: "Discovery", exchanges: exchanges)) }
    }

    private func approve(_ request: AuthorizationRequest) async -> AuthorizationCallback? {
        var callback: AuthorizationCallback?
        await step("Callback") { step in
            do {
                let (url, form) = try await sandbox.callback(approving: request.url)
                step.exchanges = [TrialStep.Exchange(step: .callback, request: shown(callback: url, form: form))]
                callback = AuthorizationCallback(url, form: form)
            } catch let refusal as SandboxRefusal {
                throw failed(
                    "the authorization server showed a page instead of a redirect to the client", refusal,
                    of: "authorization")
            }
        }
        return callback
    }

    /// The callback without what is secret in it, unless that is to be shown.
    private func shown(callback url: String, form: String?) -> ShownRequest {
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = shown(parts.count == 2 ? parts[1] : "")
        let page = "\(parts[0])\(query.isEmpty ? "" : "?" + query)"
        return form.map { ShownRequest(postedTo: page, form: shown($0[...])) } ?? ShownRequest(page: page)
    }

    private func shown(_ parameters: Substring) -> String {
        if showsSecrets { return String(parameters) }
        let rules = setup.provider.callback
        let secret = ["code", "state"].map { rules.rename[$0] ?? $0 }
        let captured = rules.capture.items.filter { !$0.value.isSecret }.map(\.parameter)
        let harmless =
            ["iss", "error", "error_description", "error_uri"] + captured.filter { !secret.contains($0) }
        return parameters.split(separator: "&").map { pair in
            let name = pair.prefix { $0 != "=" }
            return harmless.contains(String(name)) ? String(pair) : "\(name)=\(Secret(""))"
        }.joined(separator: "&")
    }

    private func complete(_ callback: AuthorizationCallback, _ pending: PendingAuthorization) async -> Session? {
        var failure: (any Error)?
        var session: Session?
        do {
            session = try await client.completeSignIn(callback, for: pending, choosing: Self.chooser)
        } catch {
            failure = error
        }
        let exchanges = recorder.take()
        let failedStep = (failure as? OAuthError)?.step
        for (kind, title) in [(OAuthError.Step.tokenRequest, "Token request"), (.keys, "Keys of the provider")] {
            var step = TrialStep(title: title, exchanges: exchanges.filter { $0.step == kind })
            if let failure, failedStep == kind { step.outcome = failed(failure) }
            if kind == .tokenRequest, let tokens = try? await session?.storedTokens() {
                step.findings = Self.findings(of: tokens)
                result.granted = tokens.scopes
            }
            guard !step.exchanges.isEmpty || step.outcome.isFailure else { continue }
            finish(step)
            if step.outcome.isFailure { return nil }
        }
        // What a sign-in needs besides: further tokens, values of the connection, and who signed in.
        let others = exchanges.filter { ![.tokenRequest, .keys].contains($0.step) }
        if let failure {
            let title = failedStep == .idToken ? "ID token" : "Sign-in"
            finish(TrialStep(title: title, exchanges: others, outcome: failed(failure)))
            return nil
        }
        if let token = try? await session?.storedTokens().idToken { await showIDToken(token) }
        if !others.isEmpty || session != nil { await showConnection(of: session, others) }
        return session
    }

    /// The other requests of a sign-in with what they brought.
    private func showConnection(of session: Session?, _ exchanges: [TrialStep.Exchange]) async {
        var step = TrialStep(title: "Rest of the sign-in", exchanges: exchanges)
        let values = (try? await session?.connectionValues()) ?? [:]
        step.findings = values.sorted { $0.key < $1.key }.map { item in
            Named(item.key, showsSecrets ? item.value.text : item.value.description)
        }
        for name in setup.provider.token.response.tokenSets.names {
            let tokens = try? await session?.tokenSet(name)?.storedTokens()
            let issued = tokens.map { (["issued"] + $0.scopes).joined(separator: " ") }
            step.findings.append(Named("tokens of \(name)", issued ?? "none"))
        }
        if !exchanges.isEmpty || !step.findings.isEmpty { finish(step) }
    }

    /// Of several candidates, the sandbox knows the first one's values.
    static let chooser: ConnectionChooser = { $0.candidates[0].value }

    static func findings(of tokens: TokenSet) -> [Named<String>] {
        func lifetime(_ end: Date?) -> String? { end.map { "\(Int($0.timeIntervalSince(tokens.issuedAt))) seconds" } }
        let refreshLifetime = lifetime(tokens.refreshTokenExpiresAt).map { ", for \($0)" } ?? ""
        return [
            Named("granted", tokens.scopes.isEmpty ? "none" : tokens.scopes.joined(separator: " ")),
            Named("lifetime", lifetime(tokens.expiresAt) ?? "unknown"),
            Named("refresh token", tokens.refreshToken == nil ? "none" : "yes" + refreshLifetime),
        ]
    }

    private func showIDToken(_ token: Secret) async {
        await step("ID token") { step in
            let idToken = try IDToken(storedAfterValidation: token)
            step.findings = ["iss", "sub", "aud"].compactMap { name in
                idToken.claims[name].map { Named(name, $0.scalarText ?? $0.jsonText()) }
            }
            // Without the scope openid, none was sent.
            let nonce = idToken.claims["nonce"] == nil ? "" : ", nonce"
            step.findings.append(Named("proved", "signature, issuer, audience, times\(nonce)"))
        }
    }
}

// MARK: - Using the tokens

extension Trial {
    private func showProfile(of session: Session) async {
        await step("Profile") { step in
            guard setup.provider.canHaveProfile else {
                throw TrialStep.Outcome.skipped("the provider has neither a userinfo endpoint nor an ID token")
            }
            let tokens = try await session.storedTokens()
            let profile: Profile
            do {
                profile = try await session.profile()
            } catch let error as OAuthError
                where error.descriptorKey == "profile.from" && tokens.idToken == nil
                && setup.provider.profile.source == nil && !tokens.scopes.contains("openid")
            {
                throw TrialStep.Outcome.skipped("there is no userinfo endpoint, and no scope openid for an ID token")
            }
            result.profile = profile.claims
            step.findings = profile.claims.map { Named($0.name, $0.value.scalarText ?? $0.value.jsonText()) }
            if step.findings.isEmpty { step.findings = [Named("claims", "none")] }
            for failure in profile.failures.reversed() {
                if failure.isOfDistributedClaims || failure.isOfAbsentClaim {
                    step.findings.append(Named("left out", failure.message))
                } else {
                    step.outcome = failed(failure)
                }
            }
            if try await session.subject(with: profile) == nil, setup.provider.profile.subject == nil {
                throw OAuthError(
                    .profile, .missingField, "the profile has no subject", descriptorKey: "profile.claims.subject")
            }
        }
    }

    private func refresh(_ session: Session) async {
        await step("Refresh") { step in
            let hasRefreshToken = try await session.storedTokens().refreshToken != nil
            guard hasRefreshToken || setup.provider.refresh.using == .accessToken else {
                throw TrialStep.Outcome.skipped("the provider issued no refresh token")
            }
            step.findings = Self.findings(of: try await session.refresh())
            result.hasRefreshed = true
        }
    }

    /// One resource that the granted scopes allow, and another that they do not.
    private func callResources(with session: Session) async {
        await listResources { try await session.resources() }
        await callOpen { _ = try await session.call($0) }
        if let closed = result.resources.first(where: { !$0.isOpen }) { await callClosed(closed, with: session) }
    }

    func listResources(_ list: () async throws -> [ResourceAccess]) async {
        do {
            result.resources = try await list()
        } catch {
            return finish(TrialStep(title: "Resources", outcome: failed(error)))
        }
        // A resource whose URL takes a value that is not known is not there, as it should be without an optional one.
        let optional = setup.provider.shared.sections.optionalValues
        let titles = Set(result.resources.map(\.resource.title))
        for late in setup.provider.lateResources.map(\.resource) where !titles.contains(late.title) {
            // Of an input in a function, a table may lack the value.
            var known = Set<TemplateReference>()
            let values = late.url.expressions.flatMap(\.references).filter { known.insert($0).inserted }
            let needed = values.map(\.description) + ["a host of trusted_hosts"]
            let reason = "its URL needs \(needed.joined(separator: ", and "))"
            let isOptional = late.url.requiredReferences.contains(where: optional.contains)
            let next = "give the values an example, or a sample that has them"
            let outcome: TrialStep.Outcome =
                isOptional ? .skipped(reason) : .failed(Failure(.failed, reason, next: values.isEmpty ? [] : [next]))
            finish(TrialStep(title: "Resource: \(late.title)", outcome: outcome))
        }
    }

    func callOpen(_ call: (Resource) async throws -> Void) async {
        guard let open = result.resources.first(where: \.isOpen)?.resource else { return }
        await step("Resource: \(open.title)") { _ in try await call(open) }
    }

    /// A client that respects the scopes would not send this; the trial does, to see it refused.
    private func callClosed(_ closed: ResourceAccess, with session: Session) async {
        await step("Resource that was not granted: \(closed.resource.title)") { step in
            step.findings = [Named("needs", closed.missing.joined(separator: " "))]
            do {
                _ = try await session.send(try HTTPRequest(for: closed.resource), declared: [closed.resource])
                step.outcome = .failed(Failure(.failed, "the resource returned data without the required scopes"))
            } catch let error as OAuthError where error.kind == .insufficientScope {
                step.findings.append(Named("refused", "as expected"))
            }
        }
    }
}

extension OAuthError {
    /// Whether the profile has claims elsewhere, which nobody should fetch: the sandbox's has, where there are sources.
    fileprivate var isOfDistributedClaims: Bool { kind == .unsupported && descriptorKey == "profile.sources" }

    /// Whether a request for the profile is not sent, because the user does not have what is in its URL.
    fileprivate var isOfAbsentClaim: Bool { kind == .valueMissing && descriptorKey == "profile.requests.url" }
}

extension AuthorizationCallback {
    init(_ url: String, form: String?) {
        if let form { self.init(postedTo: url, form: form) } else { self.init(url: url) }
    }
}

/// A clock that a wait moves, so that nobody waits for a simulated device.
private final class TrialClock: WallClock {
    private let base: any WallClock
    private let waited = Lock<TimeInterval>(0)

    init(_ base: any WallClock) { self.base = base }

    var now: Date { base.now.addingTimeInterval(waited.withLock { $0 }) }

    func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        waited.withLock { $0 += TimeInterval(duration.components.seconds) + 1 }
    }
}

extension ShownRequest {
    /// The place of a declared input that was sent as it is written, in clear or encoded.
    fileprivate func unfilled(_ setup: TrialSetup) -> String? {
        let texts = [url, body] + headers.map(\.value)
        return setup.entry.descriptor.inputs.names.lazy.map { "{\($0)}" }.first { place in
            let encoded = "%7B\(place.dropFirst().dropLast())%7D"
            return texts.contains { $0.contains(place) || $0.contains(encoded) }
        }
    }
}
