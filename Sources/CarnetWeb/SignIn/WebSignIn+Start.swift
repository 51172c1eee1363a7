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
            return show(refusedForm(returnTo: .home), logging: Self.refusedRequest)
        }
        let returnTo = fields.first { $0.name == "return_to" }.flatMap { ReturnTarget($0.value) } ?? .home
        let scopes = fields.filter { $0.name == "scope" }.map(\.value)
        let options = AuthorizationOptions(
            scopes: scopes.isEmpty ? nil : Array(scopes.prefix(Self.scopeLimit)),
            prompt: (fields.contains { $0.name == "consent" } ? [.consent] : [])
                + (fields.contains { $0.name == "another" } ? [.selectAccount] : []),
            lifetime: signInLifetime
        )
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
                pending: begun.pending,
                provider: client.provider.id,
                returnTo: returnTo,
                accounts: isPosted ? session(of: request)?.accounts ?? [] : [],
                expiresAt: begun.pending.expiresAt
            )
            if let pendingStore {
                try await pendingStore.save(begun.pending, now: clock.now)
                waiting.pending = nil
                waiting.storedState = begun.pending.id
            }
            let lifetime = Int(begun.pending.expiresAt.timeIntervalSince(clock.now).rounded(.up))
            func kept() throws -> String {
                try self.cookie(
                    cookies.pending(begun.pending.storageID), of: waiting, seconds: lifetime, isPosted: isPosted)
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

    private func cookie(
        _ name: String, of waiting: PendingSignIn, seconds: Int, isPosted: Bool
    ) throws -> String {
        let encrypted = try EncryptedValue.encrypt(
            waiting, for: purpose(PendingSignIn.purpose), with: keys, random: random)
        guard let cookie = cookies.cookie(name, encrypted, seconds: seconds, isPosted: isPosted) else {
            throw OAuthError(
                .authorization, .unsupported, "the pending sign-in is too long for a cookie",
                hint: "request fewer scopes, or use a pending store")
        }
        return cookie
    }

    func refusedForm(returnTo: ReturnTarget) -> SignInProblem {
        SignInProblem(
            status: .forbidden,
            "This form was sent by another site",
            advice: "It was ignored. Open the sign-in page of this site and begin there.",
            returnTo: returnTo,
            id: newID()
        )
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
        let (status, title, advice): (HTTPResponse.Status, String, String)
        switch (cause?.server?.code, cause?.disposition) {
        case _ where error is SignInRefusal:
            (status, title, advice) = (
                .forbidden, "You cannot sign in to this site", (error as? SignInRefusal)?.advice ?? ""
            )
        case (_, nil) where error is TokenStoreError:
            (status, title, advice) = (
                .serviceUnavailable, "Sign-in is unavailable now", "Try again in a moment."
            )
        case ("access_denied", _):
            (status, title, advice) = (
                .forbidden, "\(name) denied the sign-in",
                "You or an administrator denied access. Nothing was changed. You can try again."
            )
        case ("consent_required", _), ("interaction_required", _), ("login_required", _):
            (status, title, advice) = (
                .forbidden, "\(name) needs more than this sign-in",
                "You or an administrator has to give consent there, or to sign in again. Nothing was changed. You can try again."
            )
        case (_, .tryLater), (_, nil):
            (status, title, advice) = (
                .badGateway, "\(name) is unavailable now", "Try again in a moment."
            )
        case (_, .signInAgain) where cause.map { [.refresh, .profile, .resource].contains($0.step) } ?? false:
            (status, title, advice) = (
                .forbidden, "Your session with \(name) has ended", "It was ended there, or it expired. Sign in again."
            )
        case (_, .signInAgain):
            (status, title, advice) = (
                .badRequest, "This sign-in has ended", "It took too long, or was completed before. Begin again."
            )
        case (_, .fixConfiguration):
            (status, title, advice) = (
                .badGateway, "Sign-in with \(name) does not work at the moment",
                "Please send the reference below to the operator of this site."
            )
        case (_, .refused) where cause?.kind == .missingField && cause?.descriptorKey == "profile.claims.subject":
            (status, title, advice) = (
                .badGateway, "\(name) did not identify you",
                "You are not signed in. Please send the reference below to the operator of this site."
            )
        case (_, .refused):
            (status, title, advice) = (
                .badRequest, "The response of \(name) was not valid",
                "It was discarded, and nothing was changed. You can begin again."
            )
        }
        return SignInProblem(
            status: status, title, advice: advice, provider: client.provider.id, returnTo: returnTo, id: newID(),
            cause: error)
    }
}
