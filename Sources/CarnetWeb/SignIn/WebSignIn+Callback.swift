import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetStorage
import HTTPTypes
import Logging

extension WebSignIn {
    private static let accountLimit = 8
    private static let userAgentLimit = 200

    /// The authorization response, by GET or by a form that the provider's page posts. One that the browser sends twice at
    /// once, as after a double click, gets the reply of the first: the code serves once.
    func callback(_ request: HTTPRequest, _ form: String) async -> WebReply {
        let cookies = receivedCookies(of: request).all.map { "\($0.name)=\($0.value)" }
        let same = [request.method.rawValue, request.path ?? "", form] + cookies
        return await running.reply(to: Secret(same.joined(separator: "\n"))) {
            await completeCallback(request, form)
        }
    }

    private func completeCallback(_ request: HTTPRequest, _ form: String) async -> WebReply {
        let url = "\(origin.scheme)://\(origin.authority)\(request.path ?? "")"
        let callback =
            request.method == .post
            ? AuthorizationCallback(postedTo: url, form: form) : AuthorizationCallback(url: url)
        let found: (name: String, waiting: PendingSignIn, pending: PendingAuthorization)?
        do {
            found = try await waiting(for: callback, with: values(in: request, form), in: receivedCookies(of: request))
        } catch {
            return show(
                problem(
                    .serviceUnavailable, "Sign-in is unavailable",
                    advice: "The sign-in that you began could not be loaded. Try again in a moment."))
        }
        guard let (name, waiting, pending) = found, let client = clients[waiting.provider] else {
            let session = await shownSession(of: request)
            logger.notice("A callback was ignored", metadata: ["cause": "\(callback.report)"])
            return show(nothingWaits(request, session), to: session)
        }
        do {
            try check(client)
            let browser = request.headerFields[.userAgent].map { $0.prefix(bytes: Self.userAgentLimit) }
            let account = try await client.completeSignIn(callback, for: pending, account: randomName(bytes: 16)) {
                session in
                do {
                    return try await self.account(of: session, in: browser, at: client)
                } catch {
                    // Nobody can use tokens of somebody unknown.
                    _ = try? await session.signOut()
                    throw error
                }
            }
            let before = self.session(of: request)?.accounts ?? waiting.accounts
            return try await signedIn(account, beside: before, at: client, waiting.returnTo, removing: name)
        } catch {
            return show(problem(error, client, waiting.returnTo), to: session(of: request), removing: [name])
        }
    }

    /// The pending sign-in of this browser for a callback, with its cookie's name.
    private func waiting(
        for callback: AuthorizationCallback, with values: Set<Secret>, in received: ReceivedCookies
    ) async throws -> (name: String, waiting: PendingSignIn, pending: PendingAuthorization)? {
        for (name, value) in received.all where cookies.isPending(name) {
            guard let waiting = decrypted(value, as: PendingSignIn.self, for: purpose(PendingSignIn.purpose)),
                waiting.expiresAt > clock.now, let client = clients[waiting.provider]
            else { continue }
            if let pending = waiting.pending,
                pending.matches(callback, at: client.provider, for: client.registration)
            {
                return (name, waiting, pending)
            }
            guard let state = waiting.storedState, let pendingStore,
                values.contains(state)
                    || callback.signedTexts(at: client.provider, for: client.registration).contains(state),
                let pending = try await pendingStore.take(state, now: clock.now)
            else { continue }
            return (name, waiting, pending)
        }
        return nil
    }

    /// Every value of the response. A stored sign-in is found by its state, under any parameter name.
    private func values(in request: HTTPRequest, _ form: String) -> Set<Secret> {
        let texts = [request.query, request.method == .post ? form : ""]
        return Set(texts.flatMap { PercentEncoding.decodeForm($0) ?? [] }.map { Secret($0.value) })
    }

    /// Who signed in. The browser is kept with the tokens, and the host finds or creates its user.
    ///
    /// - Throws: If nothing says it: `OAuthError`, `TokenStoreError`; `SignInRefusal` by the host.
    private func account(
        of session: Session, in browser: String?, at client: OAuthClient
    ) async throws -> WebAccount {
        let identity = try await session.identity()
        var profile: Profile?
        do {
            profile = try await session.profile(for: claims?.names ?? [])
        } catch {
            // An unavailable profile must not fail the sign-in of a user who is identified without it.
            guard try await session.subject(with: nil) != nil else { throw error }
            let isSafe = error is OAuthError || error is TokenStoreError
            logger.notice(
                "The profile of a sign-in is unavailable",
                metadata: [
                    "provider": "\(client.provider.id)",
                    "cause": "\(isSafe ? "\(error)" : "the request was cancelled")",
                ])
        }
        guard let subject = try await session.subject(with: profile), !subject.isEmpty else {
            throw OAuthError(
                .profile, .missingField, "neither the ID token nor the profile identifies the user",
                descriptorKey: "profile.claims.subject")
        }
        var account = WebAccount(
            provider: client.provider.id, storeName: session.key.account, issuer: identity.issuer, subject: subject,
            signedInAt: clock.now)
        account.setIdentity(
            name: profile?.name ?? profile?.email ?? profile?.username, email: profile?.email,
            isEmailVerified: profile?.isEmailVerified)
        account.userID = try await userID(of: account)
        try await client.forgetExpiredBrowsers(of: subject, issuer: identity.issuer)
        var note = BrowserNote(name: browser, signedInAt: account.signedInAt, expiresAt: expiry(of: account))
        note.email = claims == nil ? nil : account.email
        note.claims = try await claims?.keptAtSignIn(session, profile)
        try await session.note(note, subject: subject)
        return account
    }

    /// - Throws: `SignInRefusal`; `TokenStoreError` for any other error of the host.
    func userID(of account: WebAccount) async throws -> String? {
        guard let findUser else { return nil }
        do {
            return try await findUser(account)
        } catch let error as SignInRefusal {
            throw error
        } catch {
            throw TokenStoreError(.unavailable, "the host could not find or create the user: \(error)")
        }
    }

    /// A new session. A sign-in never continues an existing cookie's session.
    private func signedIn(
        _ account: WebAccount, beside before: [WebAccount], at client: OAuthClient, _ returnTo: ReturnTarget,
        removing name: String
    ) async throws -> WebReply {
        let others = before.filter { !$0.isSamePerson(as: account) }
        var kept = [account] + others.prefix(Self.accountLimit - 1)
        var cookie = try sessionCookie(kept)
        while cookie == nil, !kept.isEmpty {
            kept.removeLast()
            cookie = kept.isEmpty ? nil : try sessionCookie(kept)
        }
        for old in [account] + before where !kept.contains(where: { $0.storeName.isSameBytes(as: old.storeName) }) {
            _ = try? await tokenSession(of: old)?.signOut()
        }
        guard let cookie else {
            // The browser would otherwise keep the earlier cookie, and the earlier user would stay signed in.
            let tooLarge = problem(
                .badGateway, "Your identity at \(client.provider.name) is too long for a cookie",
                advice: "You are not signed in. Please send the reference below to the operator of this site.",
                provider: client.provider.id,
                cause: OAuthError(
                    .profile, .unsupported,
                    "the session is too large for a cookie: the issuer has \(account.issuer?.utf8.count ?? 0) bytes, "
                        + "the subject \(account.subject.utf8.count)",
                    hint: "ask the provider for a shorter subject"))
            return show(tooLarge, removing: [name, cookies.session])
        }
        report(.signedIn(account))
        var reply = WebReply.redirect(to: returnTo.path)
        reply.set([cookies.removal(name), cookie])
        return reply
    }

    private func nothingWaits(_ request: HTTPRequest, _ session: WebSession?) -> SignInProblem {
        let isSignedIn = session != nil
        let candidates = clients.providers(receivingCallbacksAt: request.pathOnly)
        Telemetry.countUnexpectedCallback(of: candidates.count == 1 ? candidates[0] : nil)
        return problem(
            .badRequest,
            isSignedIn ? "You are already signed in" : "There is no open sign-in for this page",
            advice: isSignedIn
                ? "This page belongs to a sign-in that is complete, or that did not begin in this browser. Continue below."
                : receivedCookies(of: request).isEmpty
                    ? "This browser sent no cookie: it blocks cookies of this site, or the sign-in began in another "
                        + "browser. Allow cookies, and begin again here."
                    : "It was completed before, took too long, or began in another browser. Begin again here.",
            provider: candidates.count == 1 ? candidates[0] : nil,
            cause: OAuthError(
                .callback, .stateMismatch,
                "no sign-in of this browser at \(origin.origin) waits for it; the browser asked for "
                    + (request.authority ?? "no host").quotable(limit: 100)))
    }
}
