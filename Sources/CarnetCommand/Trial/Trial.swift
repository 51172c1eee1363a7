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
struct Trial {
    let setup: TrialSetup
    let sandbox: Sandbox
    let recorder = TrialRecorder()
    let client: OAuthClient
    private let failures: ProviderFailure
    private let showsSecrets: Bool
    /// Is given every step as soon as it is over.
    private let report: (TrialStep) -> Void

    /// - Parameters:
    ///   - showsSecrets: Whether the report has the codes and tokens of the sandbox, and the secrets of the test client.
    ///   - sandboxRandomBytes: Where the sandbox takes its codes and tokens from.
    /// - Throws: `ResolutionError`.
    init(
        _ setup: TrialSetup,
        showsSecrets: Bool = false,
        clock: any WallClock = SystemWallClock(),
        random: any RandomSource = SystemRandomSource(),
        sandboxRandomBytes: @escaping @Sendable (Int) -> [UInt8] = SandboxDefaults.randomBytes,
        report: @escaping (TrialStep) -> Void
    ) throws {
        self.setup = setup
        self.report = report
        self.showsSecrets = showsSecrets
        let simulated = setup.client
        let clock = TrialClock(clock)
        sandbox = Sandbox(
            providers: [setup.provider],
            clients: [setup.provider.id: [simulated.sandboxClient]],
            now: { clock.now },
            randomBytes: sandboxRandomBytes
        )
        failures = ProviderFailure(entry: setup.entry, redirectURI: simulated.registration.redirectURI)
        let transport = SandboxTransport(sandbox)
        client = try OAuthClient(
            setup.entry.descriptor,
            registration: simulated.registration,
            transport: showsSecrets ? RevealingTransport(sandbox: transport, recorder: recorder) : transport,
            clock: clock,
            random: random,
            observer: recorder
        )
    }

    /// Runs all steps. What needs a failed step is not tried.
    func run() async -> TrialResult {
        var result = TrialResult()
        if setup.provider.hasSignInPage {
            await signIn(&result)
            guard !result.hasFailed else { return result }
        }
        for grant in setup.provider.grantsWithoutPage {
            switch grant {
            case .clientCredentials: await requestOwnTokens(.clientCredentials(scopes: ownScopes), grant, &result)
            case .jwtBearer: await requestOwnTokens(.assertion(scopes: ownScopes), grant, &result)
            case .tokenExchange: await exchangeToken(&result)
            case .device: await signInOnDevice(&result)
            default: break
            }
        }
        return result
    }

    private func signIn(_ result: inout TrialResult) async {
        guard let request = await begin(&result), let callback = await approve(request, &result),
            let session = await complete(callback, request.pending, &result)
        else { return }
        await use(session, &result)
    }

    func use(_ session: Session, _ result: inout TrialResult) async {
        await showProfile(of: session, &result)
        await refresh(session, &result)
        await callResources(with: session, &result)
        await revoke(session, &result)
    }

    func finish(_ step: TrialStep, _ result: inout TrialResult) {
        var step = step
        if !step.outcome.isFailure, let place = step.exchanges.lazy.compactMap({ $0.request.unfilled(setup) }).first {
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

    func failed(_ error: any Error) -> TrialStep.Outcome {
        .failed((error as? OAuthError).map { failures.explain($0) } ?? Failure(describing: error))
    }
}

// MARK: - Signing in

extension Trial {
    private func begin(_ result: inout TrialResult) async -> AuthorizationRequest? {
        var step = TrialStep(title: "Authorization request")
        do {
            let request = try await client.beginSignIn()
            finishDiscovery(&result)
            let shown = ShownRequest(page: showsSecrets ? request.url : request.redactedURL)
            step.exchanges = [TrialStep.Exchange(step: .authorization, request: shown)]
            result.requested = request.pending.scopes
            finish(step, &result)
            return request
        } catch {
            finishDiscovery(&result)
            step.outcome = failed(error)
            finish(step, &result)
            return nil
        }
    }

    private func finishDiscovery(_ result: inout TrialResult) {
        let exchanges = recorder.take()
        guard !exchanges.isEmpty else { return }
        finish(TrialStep(title: "Discovery", exchanges: exchanges), &result)
    }

    private func approve(_ request: AuthorizationRequest, _ result: inout TrialResult) async -> AuthorizationCallback? {
        var step = TrialStep(title: "Callback")
        do {
            let (url, form) = try await sandbox.callback(approving: request.url)
            step.exchanges = [TrialStep.Exchange(step: .callback, request: shown(callback: url, form: form))]
            finish(step, &result)
            return form.map { AuthorizationCallback(postedTo: url, form: $0) } ?? AuthorizationCallback(url: url)
        } catch let refusal as SandboxRefusal {
            step.outcome = .failed(
                Failure(
                    .failed,
                    "the authorization server showed a page instead of a redirect to the client: \(refusal.text)",
                    details: [Failure.Detail(name: "http_status", text: String(refusal.status))]
                )
            )
        } catch {
            step.outcome = failed(error)
        }
        finish(step, &result)
        return nil
    }

    /// The callback without what is secret in it, unless that is to be shown.
    private func shown(callback url: String, form: String?) -> ShownRequest {
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query =
            showsSecrets ? String(parts.count == 2 ? parts[1] : "") : Self.redacted(parts.count == 2 ? parts[1] : "")
        let page = "\(parts[0])\(query.isEmpty ? "" : "?" + query)"
        guard let form else { return ShownRequest(page: page) }
        return ShownRequest(postedTo: page, form: showsSecrets ? form : Self.redacted(form[...]))
    }

    private static func redacted(_ parameters: Substring) -> String {
        let harmless = ["iss", "error", "error_description", "error_uri"]
        return parameters.split(separator: "&").map { pair in
            let name = pair.prefix { $0 != "=" }
            return harmless.contains(String(name)) ? String(pair) : "\(name)=\(Secret(""))"
        }.joined(separator: "&")
    }

    private func complete(
        _ callback: AuthorizationCallback,
        _ pending: PendingAuthorization,
        _ result: inout TrialResult
    ) async -> Session? {
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
            finish(step, &result)
            if step.outcome.isFailure { return nil }
        }
        // What a sign-in needs besides: further tokens, values of the connection, and who signed in.
        let others = exchanges.filter { ![.tokenRequest, .keys].contains($0.step) }
        if let failure {
            let title = failedStep == .idToken ? "ID token" : "Sign-in"
            finish(TrialStep(title: title, exchanges: others, outcome: failed(failure)), &result)
            return nil
        }
        if let session, let token = try? await session.storedTokens().idToken {
            await showIDToken(token, &result)
        }
        if !others.isEmpty || session != nil { await showConnection(of: session, others, &result) }
        return session
    }

    /// The other requests of a sign-in with what they brought.
    private func showConnection(
        of session: Session?, _ exchanges: [TrialStep.Exchange], _ result: inout TrialResult
    ) async {
        var step = TrialStep(title: "Rest of the sign-in", exchanges: exchanges)
        let values = (try? await session?.values()) ?? [:]
        step.findings = values.sorted { $0.key < $1.key }.map { Named($0.key, $0.value.description) }
        for name in setup.provider.token.response.tokenSets.names {
            let tokens = try? await session?.tokenSet(name)?.storedTokens()
            let issued = tokens.map { (["issued"] + $0.scopes).joined(separator: " ") }
            step.findings.append(Named("tokens of \(name)", issued ?? "none"))
        }
        if !exchanges.isEmpty || !step.findings.isEmpty { finish(step, &result) }
    }

    /// Of several candidates, the sandbox knows the first one's values.
    static let chooser: ConnectionChooser = { $0.candidates[0].value }

    static func findings(of tokens: TokenSet) -> [Named<String>] {
        var findings = [Named("granted", tokens.scopes.joined(separator: " "))]
        let lifetime = tokens.expiresAt.map { "\(Int($0.timeIntervalSince(tokens.issuedAt))) seconds" }
        findings.append(Named("lifetime", lifetime ?? "unknown"))
        findings.append(Named("refresh token", tokens.refreshToken == nil ? "none" : "yes"))
        return findings
    }

    private func showIDToken(_ token: Secret, _ result: inout TrialResult) async {
        var step = TrialStep(title: "ID token")
        do {
            let idToken = try IDToken(storedAfterValidation: token)
            step.findings = ["iss", "sub", "aud"].compactMap { name in
                idToken.claims[name].map { Named(name, $0.scalarText ?? $0.jsonText()) }
            }
            let nonce = setup.provider.authorization.nonce.isRequired ? ", nonce" : ""
            step.findings.append(Named("proved", "signature, issuer, audience, times\(nonce)"))
        } catch {
            step.outcome = failed(error)
        }
        finish(step, &result)
    }
}

// MARK: - Using the tokens

extension Trial {
    private func showProfile(of session: Session, _ result: inout TrialResult) async {
        var step = TrialStep(title: "Profile")
        do {
            guard setup.provider.canHaveProfile else {
                step.outcome = .skipped("the provider has neither a userinfo endpoint nor an ID token")
                finish(step, &result)
                return
            }
            let profile = try await session.profile()
            result.profile = profile.claims
            step.findings = profile.claims.map { Named($0.name, $0.value.scalarText ?? $0.value.jsonText()) }
            if let failure = profile.failures.first { step.outcome = failed(failure) }
            if try await session.subject(with: profile) == nil, setup.provider.profile.subject == nil {
                throw OAuthError(
                    .profile, .missingField, "the profile has no subject", descriptorKey: "profile.claims.subject")
            }
        } catch {
            step.outcome = failed(error)
        }
        step.exchanges = recorder.take()
        finish(step, &result)
    }

    private func refresh(_ session: Session, _ result: inout TrialResult) async {
        var step = TrialStep(title: "Refresh")
        do {
            let hasRefreshToken = try await session.storedTokens().refreshToken != nil
            guard hasRefreshToken || setup.provider.refresh.using == .accessToken else {
                step.outcome = .skipped("the provider issued no refresh token")
                finish(step, &result)
                return
            }
            step.findings = Self.findings(of: try await session.refresh())
        } catch {
            step.outcome = failed(error)
        }
        step.exchanges = recorder.take()
        finish(step, &result)
    }

    /// One resource that the granted scopes allow, and another that they do not.
    private func callResources(with session: Session, _ result: inout TrialResult) async {
        let access: [ResourceAccess]
        do {
            access = try await session.resources()
        } catch {
            finish(TrialStep(title: "Resources", outcome: failed(error)), &result)
            return
        }
        result.resources = access
        // A resource whose URL takes a value of the sign-in is not there without it.
        let titles = Set(access.map(\.resource.title))
        for late in setup.provider.lateResources.map(\.resource) where !titles.contains(late.title) {
            let values = late.url.references.map(\.description).joined(separator: ", ")
            let reason = "its URL needs \(values), and a host of trusted_hosts"
            finish(TrialStep(title: "Resource: \(late.title)", outcome: .failed(Failure(.failed, reason))), &result)
        }
        if let open = access.first(where: \.isOpen)?.resource {
            var step = TrialStep(title: "Resource: \(open.title)")
            do {
                _ = try await session.call(open)
            } catch {
                step.outcome = failed(error)
            }
            step.exchanges = recorder.take()
            finish(step, &result)
        }
        if let closed = access.first(where: { !$0.isOpen }) { await callClosed(closed, with: session, &result) }
    }

    /// A client that respects the scopes would not send this; the trial does, to see it refused.
    private func callClosed(_ closed: ResourceAccess, with session: Session, _ result: inout TrialResult) async {
        var step = TrialStep(title: "Resource that was not granted: \(closed.resource.title)")
        step.findings = [Named("needs", closed.missing.joined(separator: " "))]
        do {
            let resource = closed.resource
            _ = try await session.send(try HTTPRequest(for: resource), declared: [resource])
            step.outcome = .failed(Failure(.failed, "the resource returned data without the required scopes"))
        } catch let error as OAuthError where error.kind == .insufficientScope {
            step.findings.append(Named("refused", "as expected"))
        } catch {
            step.outcome = failed(error)
        }
        step.exchanges = recorder.take()
        finish(step, &result)
    }

    private func revoke(_ session: Session, _ result: inout TrialResult) async {
        var step = TrialStep(title: "Revocation")
        do {
            let outcome = try await session.signOut(.revoke)
            step.exchanges = recorder.take()
            if let failure = outcome.failures.first {
                step.outcome = failed(failure)
            } else if !outcome.isRevoked, step.exchanges.isEmpty {
                step.outcome = .skipped("the provider has no revocation endpoint")
            } else if !outcome.isRevoked {
                step.findings = [Named("sent", "connection.on_disconnect alone: there is no revocation endpoint")]
            }
        } catch {
            step.outcome = failed(error)
        }
        step.exchanges += recorder.take()
        finish(step, &result)
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
