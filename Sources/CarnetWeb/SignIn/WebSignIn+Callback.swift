import Carnet
import CarnetStorage
import Foundation
import HTTPTypes

extension WebSignIn {
    private static let accountLimit = 8
    private static let nameLimit = 80

    /// The provider's answer, by GET or by a form that its page posts.
    func callback(_ request: HTTPRequest, _ form: String) async -> WebReply {
        let url = "\(origin.scheme)://\(origin.authority)\(request.path ?? "")"
        let callback =
            request.method == .post
            ? AuthorizationCallback(postedTo: url, form: form) : AuthorizationCallback(url: url)
        let found: (name: String, waiting: PendingSignIn, pending: PendingAuthorization)?
        do {
            found = try await waiting(for: callback, with: values(in: request, form), in: ReceivedCookies(request))
        } catch {
            return show(unavailable())
        }
        guard let (name, waiting, pending) = found, let client = clients[waiting.provider] else {
            let session = session(of: request)
            return show(nothingWaits(request, session), to: session)
        }
        do {
            let session = try await client.completeSignIn(callback, for: pending, account: randomName(bytes: 16))
            let account = await account(of: session, at: client)
            let before = self.session(of: request)?.accounts ?? waiting.accounts
            return try await signedIn(account, beside: before, waiting.returnTo, removing: name)
        } catch {
            return show(problem(error, client, waiting.returnTo), to: session(of: request), removing: [name])
        }
    }

    /// The sign-in of this browser that a callback answers, with its cookie's name.
    private func waiting(
        for callback: AuthorizationCallback, with values: Set<Secret>, in received: ReceivedCookies
    ) async throws -> (name: String, waiting: PendingSignIn, pending: PendingAuthorization)? {
        for (name, value) in received.all where name.hasPrefix(cookies.pendingPrefix) {
            guard
                let waiting = try? SealedValue.open(
                    value, as: PendingSignIn.self, for: PendingSignIn.purpose, with: keys),
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
        let query = (request.path ?? "").split(separator: "?", maxSplits: 1).dropFirst().first.map { String($0) }
        let texts = [query ?? "", request.method == .post ? form : ""]
        return Set(texts.flatMap { PercentEncoding.decodeForm($0) ?? [] }.map { Secret($0.value) })
    }

    private func account(of session: Session, at client: OAuthClient) async -> WebAccount {
        let identity = try? await session.identity()
        // A profile that cannot be had now is no reason to refuse a sign-in that succeeded.
        let profile = try? await session.profile()
        let name = profile?.name ?? profile?.email ?? profile?.username
        return WebAccount(
            provider: client.provider.id,
            connection: session.key.account,
            issuer: identity?.issuer,
            subject: identity?.subject ?? profile?.subject,
            name: name.map { String($0.prefix(Self.nameLimit)) },
            signedInAt: clock.now
        )
    }

    /// A new session, whatever cookie the browser came with; what it replaces is forgotten.
    private func signedIn(
        _ account: WebAccount, beside before: [WebAccount], _ returnTo: ReturnTarget, removing name: String
    ) async throws -> WebReply {
        let others = before.filter { !$0.isSamePerson(as: account) }
        let kept = Array(others.prefix(Self.accountLimit - 1))
        for old in before where !kept.contains(old) {
            _ = try? await connection(of: old)?.signOut()
        }
        var reply = WebReply.redirect(to: returnTo.path)
        reply.set([cookies.removal(name), try sessionCookie([account] + kept)])
        return reply
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
                : ReceivedCookies(request).all.isEmpty
                    ? "This browser brought no cookie: it keeps none for this site, or the sign-in was begun in another "
                        + "browser. Allow cookies, and begin again here."
                    : "It was finished before, took too long, or was begun in another browser. Begin again here.",
            provider: candidates.count == 1 ? candidates[0] : nil,
            id: newID()
        )
    }
}
