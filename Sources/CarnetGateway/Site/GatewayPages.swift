import CarnetFoundation
import CarnetProtocol
package import CarnetWeb
import HTTPTypes

/// The gateway's own pages, which look as those of the sign-in.
struct GatewayPages: Sendable {
    private let pages: PlainSignInPages

    init(_ rules: GatewayRules) { pages = rules.signInPages }

    /// What a person lacks. The page says nothing of the program behind.
    func forbidden(
        _ decision: GatewayDecision, _ asked: ForwardedRequest, _ signOutName: String?, id: String,
        _ version: GatewayVersion
    ) -> WebReply {
        let target = asked.returnTarget
        let needs: [HTML] = decision.missing.map { "<li>You need \($0.phrase { Self.name(of: $0, version) }).</li>" }
        let who: HTML? = decision.identity.map { identity in
            "<p>You are signed in as \(identity.name ?? identity.email ?? "a user") with \(Self.name(of: identity.provider, version)).</p>"
        }
        let query = PercentEncoding.encode([(name: "return_to", value: target.path), (name: "choose", value: "1")])
        return page(
            .forbidden, "You cannot open this page",
            """
            <div role="alert">\(who)\(if: !needs.isEmpty, "<ul>\(needs)</ul>")</div>
            <p><a href="\(GatewayPaths.web.signIn)?\(query)">Sign in with another account</a></p>
            \(pages.signOutForm(returningTo: target.path, at: signOutName))
            <p><small>Reference: \(id)</small></p>
            """, id: id)
    }

    /// For a form that was sent after the session had ended. The browser still has it.
    func signInEnded() -> WebReply {
        let query = PercentEncoding.encode([(name: "return_to", value: GatewayPaths.account)])
        return page(
            .ok, "Your sign-in has ended",
            """
            <p role="alert">What you sent was not received. It is not lost:</p>
            <ol><li><a href="\(GatewayPaths.web.signIn)?\(query)" target="_blank">Sign in in another tab</a>.</li>
            <li>In this tab, go back to the form, and send it again.</li></ol>
            """)
    }

    /// For an address without a route.
    func notHere(_ programs: [String], id: String) -> WebReply {
        page(
            .forbidden, "There is no such page",
            """
            <p role="alert">No program is at this address.</p>
            \(Self.links(programs))
            <p><a href="\(GatewayPaths.account)">Your account</a></p>
            <p><small>Reference: \(id)</small></p>
            """, id: id)
    }

    private static func links(_ programs: [String]) -> HTML? {
        let items: [HTML] = programs.map { "<li><a href=\"\($0)/\">\($0)</a></li>" }
        return items.isEmpty ? nil : "<p>You may open:</p><ul>\(items)</ul>"
    }

    private static func name(of provider: ProviderID, _ version: GatewayVersion) -> String {
        version.web.clients[provider]?.provider.name ?? provider.rawValue
    }

    func signOut(
        _ session: WebSession?, _ version: GatewayVersion, returningTo target: ReturnTarget
    ) async -> WebReply {
        guard let session else {
            return page(
                .ok, "You are signed out",
                """
                <p>Nobody is signed in in this browser.</p>
                <p><a href="\(GatewayPaths.web.signIn)">Sign in</a></p>
                """)
        }
        return await account(session, version, returningTo: target, title: "Sign out")
    }

    func account(
        _ session: WebSession, _ version: GatewayVersion, returningTo target: ReturnTarget,
        title: String = "Your account", programs: [String] = []
    ) async -> WebReply {
        let accounts: [HTML] = session.accounts.map { account in
            let identity = version.gateway.shown(GatewayIdentity(account, version.web))
            let email: HTML? = identity.email.map { ", \($0)" }
            return "<li>\(identity.name ?? "A user")\(email), with \(Self.name(of: account.provider, version))</li>"
        }
        var signOutName: String?
        if let account = session.account() { signOutName = await version.web.nameOfSignOut(at: account.provider) }
        return page(
            .ok, title,
            """
            <ul>\(accounts)</ul>
            \(Self.links(programs))
            \(pages.signOutForm(returningTo: target.path, at: signOutName))
            """)
    }

    func unavailable(id: String) -> WebReply {
        page(
            .serviceUnavailable, "Sign-in is unavailable now",
            """
            <p role="alert">You are still signed in. Try again in a moment.</p>
            <p><small>Reference: \(id)</small></p>
            """, id: id)
    }

    func ticketRefused(id: String) -> WebReply {
        page(
            .badRequest, "This sign-in has ended",
            """
            <p role="alert">It took too long, or this browser accepts no cookies.</p>
            <p><a href="/">Begin again</a></p>
            \(if: !id.isEmpty, "<p><small>Reference: \(id)</small></p>")
            """)
    }

    func notFound() -> WebReply {
        page(.notFound, "There is no such page", "<p><a href=\"\(GatewayPaths.web.signIn)\">Sign in</a></p>")
    }

    private func page(_ status: HTTPResponse.Status, _ title: String, _ content: HTML, id: String? = nil) -> WebReply {
        let reply = WebReply.html(
            pages.page(title, content).text, status: status, policy: pages.contentSecurityPolicy)
        return id.map(reply.referring) ?? reply
    }
}

extension GatewayRules {
    /// The pages of the sign-in, with the operator's name and colour.
    package var signInPages: PlainSignInPages {
        PlainSignInPages(name: page.name, color: page.color, signOut: GatewayPaths.web)
    }
}
