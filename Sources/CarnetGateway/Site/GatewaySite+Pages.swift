import CarnetFoundation
import CarnetProtocol
import CarnetResourceServer
import CarnetWeb
import HTTPTypes
import Logging

/// The pages, which a proxy forwards to the gateway as any other request.
extension GatewaySite {
    func page(
        _ request: HTTPRequest, _ body: [UInt8], from peer: IPAddress?, _ version: GatewayVersion
    ) async -> WebReply {
        let path = request.pathOnly
        if !path.utf8.starts(with: GatewayPaths.prefix.utf8) {
            return metadata(request, version)
                ?? .text(
                    .notFound,
                    "carnet gateway: only \(GatewayPaths.prefix) is here; the proxy forwards the rest elsewhere\n")
        }
        // The secret goes with decisions alone, so that no configuration can send it anywhere else.
        if let peer, !version.rules.proxy.trusts(peer) {
            let problem = ForwardingProblem.untrustedPeer(peer)
            return misconfigured(problem.publicReason, logging: problem.reason)
        }
        guard let host = request.host, let site = version.hosts.site(of: host) else {
            if let host = request.host, version.gateway.knows(host: host) {
                return misconfigured(
                    "nobody can sign in at \(host) over http, because a name server is asked where it is; write an origin "
                        + "with https, or use localhost or an address such as 127.0.0.2")
            }
            return misconfigured(
                "the gateway file has no host \"\((request.authority ?? "").quotable(limit: 100))\"; let the proxy pass the "
                    + "client's Host header on")
        }
        let isOwn = version.hosts.isOwn(host)
        switch (path, request.method) {
        case (GatewayPaths.account, .get), (GatewayPaths.account, .head):
            return await accountPage(request, site, version)
        case (GatewayPaths.ended, .get): return version.pages.signInEnded()
        case (GatewayPaths.web.signOut, .get), (GatewayPaths.web.signOut, .head):
            return await signOutPage(request, site, version)
        case (GatewayPaths.enter, .get) where isOwn: return await handOver(request, site, version)
        case (GatewayPaths.begin, .get) where !isOwn: return ask(request, host, site, version)
        case (GatewayPaths.entered, .get): return await entered(request, site, version)
        case (GatewayPaths.web.signIn, .get) where !isOwn: return leaveForSignIn(request, host, version)
        case (GatewayPaths.web.signIn, .get): if let reply = await withoutPage(request, version) { return reply }
        default: break
        }
        // The sign-in itself is at the origin; a sign-out is wherever somebody is.
        let isAnywhere = [GatewayPaths.web.signOut, GatewayPaths.web.signedOut].containsBytes(of: path)
        let web = site.web.reporting { [logger] event in
            event.log(to: logger, host, request.client, showsEmail: version.rules.log.showsEmail)
        }
        guard isOwn || isAnywhere, var reply = await web.respond(to: request, body: body) else {
            return version.pages.notFound()
        }
        if version.rules.page.skipsPage, path == GatewayPaths.web.signOut, reply.head.status.kind == .redirection {
            reply.set([web.departureCookie].compactMap { $0 })
        }
        return reply
    }

    /// The metadata of the resource server of a host, for programs (RFC 9728).
    private func metadata(_ request: HTTPRequest, _ version: GatewayVersion) -> WebReply? {
        guard let host = request.host, let server = version.hosts.site(of: host)?.server,
            let (response, body) = server.metadata(for: request)
        else { return nil }
        return WebReply(response, body: String(decoding: body, as: UTF8.self))
    }

    // MARK: - People who are signed in

    /// The button that signs out, for links of the programs behind.
    private func signOutPage(
        _ request: HTTPRequest, _ site: HostSites.Site, _ version: GatewayVersion
    ) async -> WebReply {
        await version.pages.signOut(
            await site.web.shownSession(of: request), version,
            returningTo: request.returnTarget ?? ReturnTarget(GatewayPaths.web.signedOut) ?? .home)
    }

    private func accountPage(
        _ request: HTTPRequest, _ site: HostSites.Site, _ version: GatewayVersion
    ) async -> WebReply {
        do {
            let session = try await site.web.liveSession(of: request)
            guard request.headerFields[.accept]?.contains("text/html") ?? true else { return account(session, version) }
            guard let session else { return .found(version.web.signInPath(returningTo: .account)) }
            let identities = session.accounts.map { GatewayIdentity($0, version.web) }
            return await version.pages.account(
                session, version, returningTo: .account, programs: programs(of: identities, version))
        } catch {
            return unavailable(error, version)
        }
    }

    /// The latest account for a script of the same origin. Other origins cannot read it: there is no CORS header.
    private func account(_ session: WebSession?, _ version: GatewayVersion) -> WebReply {
        guard let session, let account = session.account(),
            let provider = version.rules.provider(account.provider)
        else { return .text(.unauthorized, "nobody is signed in\n") }
        let identity = version.gateway.shown(GatewayIdentity(account, version.web))
        var members = JSONObject()
        members.set([
            "id": identity.id, "provider": identity.provider.rawValue, "subject": identity.subject,
            "name": identity.name, "email": identity.email,
        ])
        members["groups"] = .array(identity.groups(provider).map { .string($0) })
        members["signed_in_at"] = .number(String(Int(account.signedInAt.timeIntervalSince1970)))
        var reply = WebReply.text(.ok, JSONValue.object(members).jsonText())
        reply.head.headerFields[.contentType] = "application/json"
        if let name = HTTPField.Name("Cross-Origin-Resource-Policy") { reply.head.headerFields[name] = "same-origin" }
        return reply
    }

    /// The response of the sign-in's address where its page is not needed; `nil` for the page.
    private func withoutPage(_ request: HTTPRequest, _ version: GatewayVersion) async -> WebReply? {
        guard !request.asksForChoice else { return nil }
        let wanted = request.returnTarget
        // A session that cannot be read does not keep anybody from the page.
        if let session = try? await version.web.liveSession(of: request), !session.accounts.isEmpty {
            return .redirect(to: (wanted ?? .account).path)
        }
        if version.rules.page.skipsPage,
            let begun = await version.web.beginAtOnce(request, returningTo: wanted ?? .account)
        {
            return begun
        }
        // The origin may have no page of its own.
        return wanted == nil ? .found(version.web.signInPath(returningTo: .account)) : nil
    }

    private func unavailable(_ error: any Error, _ version: GatewayVersion) -> WebReply {
        let id = newID()
        logger.warning("The session cannot be read", metadata: ["id": "\(id)", "cause": "\(error)"])
        return version.pages.unavailable(id: id)
    }

    // MARK: - Sign-in for another host

    /// The parameters that go through all redirects of a sign-in for another host.
    private func carried(
        _ request: HTTPRequest, _ first: [(name: String, value: String)] = [], choosing: Bool = true
    ) -> String {
        let choose = choosing && request.asksForChoice ? [(name: "choose", value: "1")] : []
        return PercentEncoding.encode(
            first + [(name: "return_to", value: (request.returnTarget ?? .home).path)] + choose)
    }

    /// At another host: leads the browser to the origin, which remembers it.
    private func leaveForSignIn(_ request: HTTPRequest, _ host: String, _ version: GatewayVersion) -> WebReply {
        .found("\(version.rules.origin.site)\(GatewayPaths.enter)?\(carried(request, [(name: "host", value: host)]))")
    }

    /// At another host: asks for a session in the name of this host, for the browser that the origin remembers.
    private func ask(
        _ request: HTTPRequest, _ host: String, _ site: HostSites.Site, _ version: GatewayVersion
    ) -> WebReply {
        guard let browser = request.queryValue("browser"),
            let (text, cookie) = try? site.web.entryRequest(request, from: browser)
        else { return refuseEntry(site) }
        let query = carried(request, [(name: "host", value: host), (name: "request", value: text)])
        var reply = WebReply.found("\(version.rules.origin.site)\(GatewayPaths.enter)?\(query)")
        reply.set([cookie].compactMap { $0 })
        return reply.severed()
    }

    /// At the origin: leads to the host, which asks for a session; then to the sign-in, and to the host with a ticket.
    private func handOver(_ request: HTTPRequest, _ own: HostSites.Site, _ version: GatewayVersion) async -> WebReply {
        guard let name = request.queryValue("host"), let host = HTTPRequest.host(of: name),
            !version.hosts.isOwn(host), let site = version.hosts.site(of: host)
        else { return version.pages.notFound() }
        guard let asked = request.queryValue("request") else {
            guard let (browser, cookie) = try? version.web.beginEntry(request) else { return refuseEntry(own) }
            let query = carried(request, [(name: "browser", value: browser)])
            var reply = WebReply.found("\(site.origin.site)\(GatewayPaths.begin)?\(query)")
            reply.set([cookie].compactMap { $0 })
            return reply.severed()
        }
        guard version.web.accepts(asked, of: site.web, request) else { return refuseEntry(own) }
        do {
            if !request.asksForChoice,
                let ticket = try await version.web.ticket(for: site.web, asked: asked, request)
            {
                let query = carried(request, [(name: "ticket", value: ticket)])
                return WebReply.found("\(site.origin.site)\(GatewayPaths.entered)?\(query)").severed()
            }
        } catch {
            return unavailable(error, version)
        }
        let query = carried(
            request, [(name: "host", value: host), (name: "request", value: asked)], choosing: false)
        guard let back = ReturnTarget("\(GatewayPaths.enter)?\(query)") else { return refuseEntry(own) }
        return WebReply.found(
            version.web.signInPath(returningTo: back) + (request.asksForChoice ? "&choose=1" : "")
        ).severed()
    }

    /// At the other host: takes the ticket, and leads to an address without it in any case. Without one, this is the page that
    /// says so.
    private func entered(
        _ request: HTTPRequest, _ site: HostSites.Site, _ version: GatewayVersion
    ) async -> WebReply {
        guard let ticket = request.queryValue("ticket") else {
            let reference = request.queryValue("reference") ?? ""
            let isReference = reference.utf8.count <= 24 && reference.utf8.allSatisfy(ASCII.isAlphanumeric)
            return version.pages.ticketRefused(id: isReference ? reference : "").severed()
        }
        do {
            guard let cookies = try await site.web.enter(ticket, request, remembering: version.usedProofs) else {
                return refuseEntry(site)
            }
            var reply = WebReply.redirect(to: (request.returnTarget ?? .home).path)
            reply.set(cookies)
            return reply.severed()
        } catch {
            return refuseEntry(site, "\(error)")
        }
    }

    /// Leads to the page of a refusal, whose address has nothing of the request.
    private func refuseEntry(_ site: HostSites.Site, _ cause: String = "") -> WebReply {
        let id = newID()
        logger.notice(
            "A session is not handed to another host",
            metadata: ["id": "\(id)", "host": "\(site.origin.host)", "cause": "\(cause)"])
        return WebReply.redirect(to: "\(GatewayPaths.entered)?reference=\(id)").severed()
    }
}

extension ReturnTarget {
    /// The page of the person's account.
    fileprivate static var account: ReturnTarget { ReturnTarget(GatewayPaths.account) ?? .home }
}

extension HTTPRequest {
    fileprivate var returnTarget: ReturnTarget? { queryValue("return_to").flatMap { ReturnTarget($0) } }
    /// Whether the page of providers is shown in any case.
    fileprivate var asksForChoice: Bool { !(queryValue("choose") ?? "").isEmpty }

    /// The host of the request, in the form of `ForwardedRequest`.
    var host: String? { authority.flatMap(Self.host) }

    static func host(of authority: String) -> String? {
        try? ForwardedRequest(method: "GET", scheme: "https", host: authority, target: "/").host
    }
}
