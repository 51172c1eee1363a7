import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetStorage
package import HTTPTypes
import Logging

extension WebSignIn {
    /// How many sign-ins may wait in one browser: one for each tab, within reason.
    private static let pendingLimit = 5
    private static let scopeLimit = 64

    func start(_ provider: ProviderID, _ request: HTTPRequest, _ form: String) async -> WebReply {
        guard let client = clients[provider], isOwnPage(request), let fields = PercentEncoding.decodeForm(form) else {
            return refuseForm()
        }
        let returnTo = fields.first { $0.name == "return_to" }.flatMap { ReturnTarget($0.value) } ?? .home
        let scopes = fields.filter { $0.name == "scope" }.map(\.value)
        let options = AuthorizationOptions(
            scopes: scopes.isEmpty ? nil : Array(scopes.prefix(Self.scopeLimit)),
            prompt: (fields.contains { $0.name == "consent" } ? [.consent] : [])
                + (fields.contains { $0.name == "another" } ? [.selectAccount] : []),
            lifetime: signInLifetime)
        return await begin(client, options, returnTo: returnTo, request)
    }

    /// Sends the browser to the provider.
    func begin(
        _ client: OAuthClient, _ options: AuthorizationOptions, returnTo: ReturnTarget, _ request: HTTPRequest
    ) async -> WebReply {
        do {
            try check(client)
            let begun = try await client.beginSignIn(options)
            let isPosted = client.provider.authorization.responseMode?.isPosted ?? false
            var waiting = PendingSignIn(
                pending: begun.pending, provider: client.provider.id, returnTo: returnTo,
                accounts: isPosted ? session(of: request)?.accounts ?? [] : [], expiresAt: begun.pending.expiresAt)
            if let pendingStore {
                try await pendingStore.save(begun.pending, now: clock.now)
                waiting.pending = nil
                waiting.storedState = begun.pending.id
            }
            let lifetime = Int(begun.pending.expiresAt.timeIntervalSince(clock.now).rounded(.up))
            func kept() throws -> String {
                let encrypted = try encrypted(waiting, for: purpose(PendingSignIn.purpose))
                let name = cookies.pending(begun.pending.storageID)
                guard let cookie = cookies.cookie(name, encrypted, seconds: lifetime, isPosted: isPosted) else {
                    throw OAuthError(
                        .authorization, .unsupported, "the pending sign-in is too long for a cookie",
                        hint: "request fewer scopes, or use a pending store")
                }
                return cookie
            }
            let cookie: String
            if let whole = try? kept() {
                cookie = whole
            } else {
                // No browser keeps a longer cookie, and the sign-in matters more than the page after it.
                logger.notice(
                    "The address of a page is too long to return to after the sign-in",
                    metadata: ["bytes": "\(returnTo.path.utf8.count)"])
                waiting.returnTo = returnTo.short
                cookie = try kept()
            }
            let others = receivedCookies(of: request).all.map(\.name).filter(cookies.isPending)
            var reply = WebReply.redirect(to: begun.url)
            reply.set(others.dropLast(Self.pendingLimit - 1).map(cookies.removal))
            reply.set([cookie])
            return reply
        } catch {
            return show(problem(error, client, returnTo))
        }
    }

    func refuseForm() -> WebReply {
        refuse(
            problem(
                .forbidden, "This form was sent by another site",
                advice: "It was ignored. Open the sign-in page of this site and begin there."))
    }

    /// Whether a form was sent by a page of this site. Browsers say so in `Sec-Fetch-Site`, older ones in `Origin`,
    /// and pages cannot change these.
    package func isOwnPage(_ request: HTTPRequest) -> Bool {
        if let site = HTTPField.Name("Sec-Fetch-Site").flatMap({ request.headerFields[$0] }) {
            return site.isSameBytes(as: "same-origin")
        }
        guard let origin = request.headerFields[.origin], let url = try? WebURL(origin) else { return false }
        return url.origin == self.origin.origin
    }

    /// What an error means for the person who signs in.
    func problem(_ error: any Error, _ client: OAuthClient, _ returnTo: ReturnTarget) -> SignInProblem {
        let name = client.provider.name
        let cause = error as? OAuthError
        let (status, title, advice): (HTTPResponse.Status, String, String) =
            switch (cause?.server?.code, cause?.disposition) {
            case _ where error is SignInRefusal:
                (.forbidden, "You cannot sign in to this site", (error as? SignInRefusal)?.advice ?? "")
            case (_, nil) where error is TokenStoreError:
                (.serviceUnavailable, "Sign-in is unavailable now", "Try again in a moment.")
            case ("access_denied", _):
                (
                    .forbidden, "\(name) denied the sign-in",
                    "You or an administrator denied access. Nothing was changed. You can try again."
                )
            case ("consent_required", _), ("interaction_required", _), ("login_required", _):
                (
                    .forbidden, "\(name) needs more than this sign-in",
                    "You or an administrator has to give consent there, or to sign in again. Nothing was changed. You can try again."
                )
            case (_, .tryLater), (_, nil):
                (.badGateway, "\(name) is unavailable now", "Try again in a moment.")
            case (_, .signInAgain) where cause.map { [.refresh, .profile, .resource].contains($0.step) } ?? false:
                (.forbidden, "Your session with \(name) has ended", "It was ended there, or it expired. Sign in again.")
            case (_, .signInAgain):
                (.badRequest, "This sign-in has ended", "It took too long, or was completed before. Begin again.")
            case (_, .fixConfiguration):
                (
                    .badGateway, "Sign-in with \(name) does not work at the moment",
                    "Please send the reference below to the operator of this site."
                )
            case (_, .refused) where cause?.kind == .missingField && cause?.descriptorKey == "profile.claims.subject":
                (
                    .badGateway, "\(name) did not identify you",
                    "You are not signed in. Please send the reference below to the operator of this site."
                )
            case (_, .refused):
                (
                    .badRequest, "The response of \(name) was not valid",
                    "It was discarded, and nothing was changed. You can begin again."
                )
            }
        return problem(status, title, advice: advice, provider: client.provider.id, returnTo: returnTo, cause: error)
    }
}
