import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetStorage
import Foundation
public import HTTPTypes

extension WebSignIn {
    /// How many sign-ins may wait in one browser: one for each tab, within reason.
    private static let pendingLimit = 5
    private static let scopeLimit = 64

    func start(_ provider: ProviderID, _ request: HTTPRequest, _ form: String) async -> WebReply {
        guard let client = clients[provider], isOwnPage(request), let fields = PercentEncoding.decodeForm(form) else {
            return show(refusedForm(returnTo: .home))
        }
        let returnTo = fields.first { $0.name == "return_to" }.flatMap { ReturnTarget($0.value) } ?? .home
        let scopes = fields.filter { $0.name == "scope" }.map(\.value)
        do {
            try check(client)
            let options = AuthorizationOptions(
                scopes: scopes.isEmpty ? nil : Array(scopes.prefix(Self.scopeLimit)),
                asksForConsent: fields.contains { $0.name == "consent" },
                prompt: fields.contains { $0.name == "another" } ? [.selectAccount] : []
            )
            let begun = try await client.beginSignIn(options)
            let isPosted = client.provider.authorization.responseMode?.isPosted ?? false
            var waiting = PendingSignIn(
                pending: begun.pending,
                provider: provider,
                returnTo: returnTo,
                accounts: isPosted ? session(of: request)?.accounts ?? [] : [],
                expiresAt: begun.pending.expiresAt
            )
            if let pendingStore {
                try await pendingStore.keep(begun.pending, now: clock.now)
                waiting.pending = nil
                waiting.storedState = begun.pending.id
            }
            let lifetime = Int(begun.pending.expiresAt.timeIntervalSince(clock.now).rounded(.up))
            let cookie = try cookie(
                cookies.pending(begun.pending.storageID), of: waiting, seconds: lifetime, isPosted: isPosted)
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
        let sealed = try SealedValue.seal(waiting, for: purpose(PendingSignIn.purpose), with: keys, random: random)
        guard let cookie = cookies.cookie(name, sealed, seconds: seconds, isPosted: isPosted) else {
            throw OAuthError(
                .authorization, .unsupported, "the pending sign-in is too long for a cookie",
                hint: "ask for fewer scopes, or keep pending sign-ins in a store")
        }
        return cookie
    }

    func refusedForm(returnTo: ReturnTarget) -> SignInProblem {
        SignInProblem(
            status: .forbidden,
            "This form was not sent from this site",
            advice: "Another site may have sent it, so nothing was done. Open the page of providers and begin there.",
            returnTo: returnTo,
            id: newID()
        )
    }

    /// Whether a form comes from a page of this site. Browsers say so themselves, and pages cannot change what they say:
    /// in `Sec-Fetch-Site`, and before that was known in `Origin`.
    public func isOwnPage(_ request: HTTPRequest) -> Bool {
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
        case (_, nil) where error is TokenStoreError:
            (status, title, advice) = (
                .serviceUnavailable, "Sign-ins cannot be looked up now", "Nothing is lost. Try again in a moment."
            )
        case ("access_denied", _):
            (status, title, advice) = (
                .forbidden, "\(name) was not allowed to sign you in",
                "You, or an administrator, said no. Nothing was changed; you can try again."
            )
        case (_, .tryLater), (_, nil):
            (status, title, advice) = (
                .badGateway, "\(name) cannot be reached now", "Nothing is lost. Try again in a moment."
            )
        case (_, .signInAgain) where cause.map { [.refresh, .profile, .resource].contains($0.step) } ?? false:
            (status, title, advice) = (
                .forbidden, "The session with \(name) is over", "It was ended there, or is too old. Sign in again."
            )
        case (_, .signInAgain):
            (status, title, advice) = (
                .badRequest, "This sign-in is over", "It took too long, or was finished before. Begin it again."
            )
        case (_, .fixConfiguration):
            (status, title, advice) = (
                .badGateway, "Sign-in with \(name) does not work at present",
                "The site's operator has to change something; the reference below helps to find it."
            )
        case (_, .refused) where cause?.kind == .missingField && cause?.descriptorKey == "profile.claims.subject":
            (status, title, advice) = (
                .badGateway, "\(name) did not say who you are",
                "You are not signed in. The site's operator has to look into it; the reference below helps to find it."
            )
        case (_, .refused):
            (status, title, advice) = (
                .badRequest, "The answer of \(name) could not be trusted",
                "It was discarded, and nothing was changed. You can begin again."
            )
        }
        return SignInProblem(
            status: status, title, advice: advice, provider: client.provider.id, returnTo: returnTo, id: newID(),
            cause: error)
    }
}
