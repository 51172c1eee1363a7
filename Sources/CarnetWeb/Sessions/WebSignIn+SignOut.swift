import Carnet
import CarnetStorage
import Foundation
import HTTPTypes
import Logging

extension WebSignIn {
    private static let reportPurpose = "report of a sign-out at a browser"
    private static let reportLifetime = 600

    /// Signs out the account of the form's `connection`, or all, as far as its `extent` says: `local`, `revoke` or
    /// `everywhere`.
    func signOut(_ request: HTTPRequest, _ form: String) async -> WebReply {
        guard isOwnPage(request), let fields = PercentEncoding.decodeForm(form) else {
            return show(refusedForm(returnTo: .home))
        }
        func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }
        let wanted = field("return_to").flatMap { ReturnTarget($0) }
        let extent = ["revoke": SignOut.revoke, "everywhere": .everywhere][field("extent") ?? ""] ?? .local
        let accounts = session(of: request)?.accounts ?? []
        let named = field("connection")
        let leaving = accounts.filter { named == nil || $0.connection == named }
        let staying = accounts.filter { !leaving.contains($0) }
        do {
            let (departures, page) = try await depart(leaving, extent)
            let hasFailed = departures.contains { !$0.failures.isEmpty }
            let report = SignOutReport(
                departures: departures, returnTo: wanted ?? .home, id: hasFailed ? newID() : nil,
                expiresAt: clock.now.addingTimeInterval(Double(Self.reportLifetime)))
            if let id = report.id { log(report, id) }
            let isTold = hasFailed || wanted == nil || page != nil
            var reply = WebReply.redirect(to: page ?? (isTold ? paths.signedOut : report.returnTo.path))
            reply.set([staying.isEmpty ? cookies.removal(cookies.session) : try sessionCookie(staying)])
            if isTold { reply.set([try reportCookie(report, skipsPage: wanted != nil && !hasFailed)]) }
            return reply
        } catch {
            return show(
                SignInProblem(
                    status: .serviceUnavailable, "Signing out did not work",
                    advice: "The tokens could not be removed. You are still signed in; try again in a moment.",
                    returnTo: wanted ?? .home, id: newID(), cause: error as? OAuthError))
        }
    }

    /// Signs accounts out, and finds the page that ends the session of the first that has one.
    private func depart(
        _ leaving: [WebAccount], _ extent: SignOut
    ) async throws -> (departures: [SignOutReport.Departure], page: String?) {
        var departures: [SignOutReport.Departure] = []
        var page: String?
        for account in leaving {
            guard let client = clients[account.provider],
                let outcome = try await connection(of: account)?.signOut(extent)
            else { continue }
            let isOpened = page == nil && outcome.endSessionURL != nil
            if isOpened { page = outcome.endSessionURL?.reveal() }
            departures.append(.init(from: client.provider, extent, outcome, isPageOpened: isOpened))
        }
        return (departures, page)
    }

    private func log(_ report: SignOutReport, _ id: String) {
        for departure in report.departures where !departure.failures.isEmpty {
            logger.notice(
                "Sign-out at the provider failed",
                metadata: [
                    "id": "\(id)", "provider": "\(departure.provider)",
                    "cause": "\(departure.failures.joined(separator: "; "))",
                ])
        }
    }

    /// What the page after a sign-out tells.
    private struct KeptReport: Codable {
        var report: SignOutReport
        /// Whether the host has a page of its own for a sign-out that went well.
        let skipsPage: Bool
    }

    private func reportCookie(_ report: SignOutReport, skipsPage: Bool) throws -> String {
        var kept = KeptReport(report: report, skipsPage: skipsPage)
        func sealed() throws -> String {
            try SealedValue.seal(kept, for: Self.reportPurpose, with: keys, random: random)
        }
        if try sealed().utf8.count > PendingSignIn.cookieLimit {
            for index in kept.report.departures.indices { kept.report.departures[index].failures = ["see the log"] }
        }
        return cookies.cookie(cookies.report, try sealed(), seconds: Self.reportLifetime)
    }

    /// The page after a sign-out, where the provider's own page leads back to (OpenID Connect RP-Initiated Logout,
    /// section 3).
    func signedOut(_ request: HTTPRequest) -> WebReply {
        let kept = ReceivedCookies(request)[cookies.report].flatMap {
            try? SealedValue.open($0, as: KeptReport.self, for: Self.reportPurpose, with: keys)
        }
        guard let kept, kept.report.expiresAt > clock.now else {
            return .html(
                pages.signedOut(nil, choicePage(.home, session: session(of: request))),
                policy: pages.contentSecurityPolicy)
        }
        var reply =
            kept.skipsPage
            ? WebReply.redirect(to: kept.report.returnTo.path)
            : .html(
                pages.signedOut(kept.report, choicePage(kept.report.returnTo, session: session(of: request))),
                policy: pages.contentSecurityPolicy)
        // Without a page of its own the report is not shown again.
        if kept.skipsPage { reply.set([cookies.removal(cookies.report)]) }
        return reply
    }
}
