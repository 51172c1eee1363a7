import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetStorage
import Foundation
import HTTPTypes
import Logging

extension WebSignIn {
    private static let accountLimit = 8
    /// In bytes.
    private static let nameLimit = 160

    /// The provider's answer, by GET or by a form that its page posts.
    func callback(_ request: HTTPRequest, _ form: String) async -> WebReply {
        let url = "\(origin.scheme)://\(origin.authority)\(request.path ?? "")"
        let callback =
            request.method == .post
            ? AuthorizationCallback(postedTo: url, form: form) : AuthorizationCallback(url: url)
        let found: (name: String, waiting: PendingSignIn, pending: PendingAuthorization)?
        do {
            found = try await waiting(for: callback, with: values(in: request, form), in: receivedCookies(of: request))
        } catch {
            return show(unavailable())
        }
        guard let (name, waiting, pending) = found, let client = clients[waiting.provider] else {
            let session = session(of: request)
            return show(nothingWaits(request, session), to: session)
        }
        do {
            try check(client)
            let session = try await client.completeSignIn(callback, for: pending, account: randomName(bytes: 16))
            let account: WebAccount
            do {
                account = try await self.account(of: session, at: client)
            } catch {
                // Nobody can use tokens of somebody unknown.
                _ = try? await session.signOut()
                throw error
            }
            let before = self.session(of: request)?.accounts ?? waiting.accounts
            return try await signedIn(account, beside: before, at: client, waiting.returnTo, removing: name)
        } catch {
            return show(problem(error, client, waiting.returnTo), to: session(of: request), removing: [name])
        }
    }

    /// The sign-in of this browser that a callback answers, with its cookie's name.
    private func waiting(
        for callback: AuthorizationCallback, with values: Set<Secret>, in received: ReceivedCookies
    ) async throws -> (name: String, waiting: PendingSignIn, pending: PendingAuthorization)? {
        for (name, value) in received.all where cookies.isPending(name) {
            guard
                let waiting = try? SealedValue.open(
                    value, as: PendingSignIn.self, for: purpose(PendingSignIn.purpose), with: keys),
                waiting.expiresAt > clock.now
            else { continue }
            guard let client = clients[waiting.provider] else { continue }
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

    /// Every value of the answer: a stored sign-in is taken out by the one that is its state, whatever it is called.
    private func values(in request: HTTPRequest, _ form: String) -> Set<Secret> {
        let texts = [request.query, request.method == .post ? form : ""]
        return Set(texts.flatMap { PercentEncoding.decodeForm($0) ?? [] }.map { Secret($0.value) })
    }

    /// Who signed in.
    ///
    /// - Throws: If nothing says it: `OAuthError`, `TokenStoreError`.
    private func account(of session: Session, at client: OAuthClient) async throws -> WebAccount {
        let identity = try await session.identity()
        var profile: Profile?
        do {
            profile = try await session.profile()
        } catch {
            // One that cannot be had now is no reason to refuse the sign-in of somebody who is known without it.
            guard identity.subject != nil else { throw error }
            let isSafe = error is OAuthError || error is TokenStoreError
            logger.notice(
                "The profile of a sign-in could not be had",
                metadata: [
                    "provider": "\(client.provider.id)",
                    "cause": "\(isSafe ? "\(error)" : "the request was cut short")",
                ])
        }
        guard let subject = identity.subject ?? profile?.subject, !subject.isEmpty else {
            throw OAuthError(
                .profile,
                .missingField,
                "neither an ID token nor the profile says who signed in",
                descriptorKey: "profile.claims.subject",
                hint: "ask for the scope openid, or say which member of the profile is the subject"
            )
        }
        let name = profile?.name ?? profile?.email ?? profile?.username
        return WebAccount(
            provider: client.provider.id,
            connection: session.key.account,
            issuer: identity.issuer,
            subject: subject,
            name: name.map { $0.prefix(bytes: Self.nameLimit) },
            signedInAt: clock.now
        )
    }

    /// A new session, whatever cookie the browser came with; what it replaces is forgotten.
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
        for old in [account] + before where !kept.contains(where: { $0.connection.isSameBytes(as: old.connection) }) {
            _ = try? await connection(of: old)?.signOut()
        }
        guard let cookie else {
            // A browser would keep the cookie of before, and with it whoever was signed in then.
            return show(tooLarge(account, client), removing: [name, cookies.session])
        }
        var reply = WebReply.redirect(to: returnTo.path)
        reply.set([cookies.removal(name), cookie])
        return reply
    }

    private func tooLarge(_ account: WebAccount, _ client: OAuthClient) -> SignInProblem {
        SignInProblem(
            status: .badGateway,
            "\(client.provider.name) names you in more words than a browser keeps",
            advice: "You are not signed in. The site's operator has to look into it; the reference below helps to find "
                + "it.",
            provider: client.provider.id,
            id: newID(),
            cause: OAuthError(
                .profile,
                .unsupported,
                "the session is too large for a cookie: the issuer has \(account.issuer?.utf8.count ?? 0) bytes, the "
                    + "subject \(account.subject.utf8.count)",
                hint: "the provider has to send a shorter subject"
            )
        )
    }

    private func unavailable() -> SignInProblem {
        SignInProblem(
            status: .serviceUnavailable, "Sign-in does not work at present",
            advice: "What was begun could not be looked up. Try again in a moment.", id: newID())
    }

    private func nothingWaits(_ request: HTTPRequest, _ session: WebSession?) -> SignInProblem {
        let isSignedIn = session != nil
        let candidates = clients.providers(answeringAt: request.pathOnly)
        return SignInProblem(
            status: .badRequest,
            isSignedIn ? "This sign-in is done" : "No sign-in waits for this answer",
            advice: isSignedIn
                ? "The page was opened a second time. You are signed in already; go on below."
                : receivedCookies(of: request).isEmpty
                    ? "This browser brought no cookie: it keeps none for this site, or the sign-in was begun in another "
                        + "browser. Allow cookies, and begin again here."
                    : "It was finished before, took too long, or was begun in another browser. Begin again here.",
            provider: candidates.count == 1 ? candidates[0] : nil,
            id: newID()
        )
    }
}
