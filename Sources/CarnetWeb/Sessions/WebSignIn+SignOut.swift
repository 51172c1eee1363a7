import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetStorage
import HTTPTypes
import Logging

extension WebSignIn {
    static let reportPurpose = "report of a sign-out at a browser"
    private static let reportLifetime = 600

    /// Signs out the account of the form's `connection`, or all, as far as its `extent` says: `local`, `revoke` or
    /// `everywhere`. With `browsers=all` they are signed out in every browser. `connection` may also name another browser of
    /// one of the accounts.
    func signOut(_ request: HTTPRequest, _ form: String) async -> WebReply {
        guard isOwnPage(request), let fields = PercentEncoding.decodeForm(form) else {
            return refuseForm()
        }
        func field(_ name: String) -> String? { fields.first { $0.name.isSameBytes(as: name) }?.value }
        let wanted = field("return_to").flatMap { ReturnTarget($0) }
        let extent = ["revoke": SignOut.revoke, "everywhere": .everywhere][field("extent") ?? ""] ?? .local
        let accounts = session(of: request)?.accounts ?? []
        let named = field("connection")
        let leaving = accounts.filter { account in named.map { account.storeName.isSameBytes(as: $0) } ?? true }
        let staying = accounts.filter { !leaving.contains($0) }
        do {
            let isEverywhere = field("browsers")?.isSameBytes(as: "all") ?? false
            var elsewhere: [WebAccount] = []
            for account in named != nil && leaving.isEmpty ? accounts : isEverywhere ? leaving : [] {
                // An old copy of a cookie, whose tokens are gone, signs nobody out.
                guard try await tokenSession(of: account) != nil else { continue }
                elsewhere += try await others(of: account, browser: leaving.isEmpty ? named : nil).filter { other in
                    !accounts.contains { $0.storeName.isSameBytes(as: other.storeName) }
                }
            }
            var (departures, page) = try await depart(leaving, extent)
            try await depart(elsewhere, extent, addingTo: &departures)
            let id = departures.contains { !$0.failures.isEmpty } ? newID() : nil
            if let id { log(departures, id) }
            let isReported = id != nil || wanted == nil || page != nil
            var reply = WebReply.redirect(
                to: page?.url.reveal() ?? (isReported ? paths.signedOut : (wanted ?? .home).path))
            // Those who stay fitted before.
            let session = staying.isEmpty ? nil : try sessionCookie(staying)
            reply.set([session ?? cookies.removal(cookies.session)])
            if isReported {
                let kept = KeptReport(
                    departures: departures, id: id, returnTo: wanted ?? .home, skipsPage: wanted != nil && id == nil,
                    sent: page?.sent, expiresAt: clock.now.addingTimeInterval(Double(Self.reportLifetime)))
                reply.set([try reportCookie(kept)].compactMap { $0 })
            }
            return reply
        } catch {
            return show(
                problem(
                    .serviceUnavailable, "Sign-out failed",
                    advice: "The tokens could not be deleted. You are still signed in. Try again in a moment.",
                    returnTo: wanted ?? .home, cause: error), logging: "A sign-out failed")
        }
    }

    /// Signs accounts out, and finds the page that ends the session of the first that has one.
    private func depart(
        _ leaving: [WebAccount], _ extent: SignOut
    ) async throws -> (departures: [SignOutReport.Departure], page: (url: Secret, sent: KeptReport.Sent?)?) {
        var departures: [SignOutReport.Departure] = []
        var page: (url: Secret, sent: KeptReport.Sent?)?
        for account in leaving {
            guard let client = clients[account.provider],
                let outcome = try await tokenSession(of: account)?.signOut(extent)
            else { continue }
            var isOpened = false
            if page == nil, let url = outcome.endSessionURL {
                page = (url, outcome.endSessionState.map { .init(to: account.provider, state: $0) })
                isOpened = true
            }
            departures.append(.init(from: client.provider, extent, outcome, isPageOpened: isOpened))
            report(.signedOut(account))
        }
        return (departures, page)
    }

    /// Signs accounts out in other browsers. The provider's page ends the session of this browser alone, so it is not opened.
    func depart(
        _ elsewhere: [WebAccount], _ extent: SignOut, addingTo departures: inout [SignOutReport.Departure]
    ) async throws {
        for account in elsewhere {
            guard let client = clients[account.provider],
                let outcome = try await tokenSession(of: account)?.signOut(extent == .local ? .local : .revoke)
            else { continue }
            let index =
                departures.firstIndex { $0.provider == account.provider }
                ?? {
                    departures.append(.init(elsewhereFrom: client.provider))
                    return departures.count - 1
                }()
            departures[index].addOtherBrowser(outcome)
            report(.signedOut(account))
        }
    }

    private func log(_ departures: [SignOutReport.Departure], _ id: String) {
        for departure in departures where !departure.failures.isEmpty {
            logger.notice(
                "Sign-out at the provider failed",
                metadata: [
                    "id": "\(id)", "provider": "\(departure.provider)",
                    "cause": "\(departure.failures.joined(separator: "; "))",
                ])
        }
    }

    /// The report for the page after a sign-out.
    private struct KeptReport: Codable {
        var departures: [SignOutReport.Departure]
        let id: String?
        /// The path that the user continues at.
        let returnTo: ReturnTarget
        /// Whether the host has a page of its own for a sign-out that went well.
        let skipsPage: Bool
        /// What comes back with the browser; `nil` if it was sent nowhere, or cannot come back.
        let sent: Sent?
        let expiresAt: Date

        mutating func noteReturn() {
            guard let index = departures.firstIndex(where: { $0.provider == sent?.to && $0.isEndedAtProvider == true })
            else { return }
            departures[index].isBack = true
        }

        struct Sent: Codable {
            let to: ProviderID
            let state: Secret
        }
    }

    private func reportCookie(_ report: KeptReport) throws -> String? {
        func cookie(_ report: KeptReport) throws -> String? {
            cookies.cookie(
                cookies.report, try encrypted(report, for: purpose(Self.reportPurpose)), seconds: Self.reportLifetime)
        }
        if let whole = try cookie(report) { return whole }
        var short = report
        for index in short.departures.indices { short.departures[index].failures = ["see the log"] }
        return try cookie(short)
    }

    /// The page after a sign-out, where the provider's own page leads back to (OpenID Connect RP-Initiated Logout,
    /// section 3).
    func signedOut(_ request: HTTPRequest) async -> WebReply {
        var kept = receivedCookies(of: request)[cookies.report].flatMap {
            decrypted($0, as: KeptReport.self, for: purpose(Self.reportPurpose))
        }.flatMap { $0.expiresAt > clock.now ? $0 : nil }
        // Anybody can send a browser here: without the state that was sent it is not the provider who did.
        if let sent = kept?.sent, isReturn(request, to: sent) {
            kept?.noteReturn()
            if let kept, kept.skipsPage {
                var reply = WebReply.redirect(to: kept.returnTo.path)
                // The host's own page has shown it; here it is not shown again.
                reply.set([cookies.removal(cookies.report)])
                return reply
            }
        }
        let page = choicePage(kept?.returnTo ?? .home, session: await shownSession(of: request))
        let report = kept.map { SignOutReport(departures: $0.departures, id: $0.id) }
        return .html(pages.signedOut(report, page), policy: pages.contentSecurityPolicy)
    }

    private func isReturn(_ request: HTTPRequest, to sent: KeptReport.Sent) -> Bool {
        guard let provider = clients[sent.to]?.provider else { return false }
        let back = AuthorizationCallback(url: origin.origin + (request.path ?? ""))
        return EndSessionRequest.isReturn(back, state: sent.state, at: provider)
    }
}
