import Carnet
import CarnetDescriptors
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
            if let host = request.host, version.gateway.knows(host: host) { return misconfigured(Self.needsTLS(host)) }
            return misconfigured(
                "the gateway file has no host \"\((request.authority ?? "").quotable(limit: 100))\"; let the proxy pass the "
                    + "client's Host header on")
        }
        let isOwn = version.hosts.isOwn(host)
        switch (path, request.method) {
        case (GatewayPaths.account, .get), (GatewayPaths.account, .head):
            return await accountPage(request, site, version)
        case (GatewayPaths.web.signOut, .get), (GatewayPaths.web.signOut, .head):
            return await signOutPage(request, site, version)
        case (GatewayPaths.enter, .get) where isOwn: return await handOver(request, version)
        case (GatewayPaths.entered, .get) where !isOwn: return entered(request, site, version)
        case (GatewayPaths.web.signIn, .get) where !isOwn: return leaveForSignIn(request, host, site, version)
        default: break
        }
        // The sign-in itself is at the origin; a sign-out is wherever somebody is.
        let isAnywhere = [GatewayPaths.web.signOut, GatewayPaths.web.signedOut].containsBytes(of: path)
        let web = site.web.reporting { [logger] event in event.log(to: logger, host, request.client) }
        guard isOwn || isAnywhere, let reply = await web.respond(to: request, body: body) else {
            return version.pages.notFound()
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

    private static func needsTLS(_ host: String) -> String {
        "nobody can sign in at \(host) over http, because a name server is asked where it is; write an origin with "
            + "https, or use localhost or an address such as 127.0.0.2"
    }

    // MARK: - People who are signed in

    /// The button that signs out, for links of the programs behind.
    private func signOutPage(
        _ request: HTTPRequest, _ site: HostSites.Site, _ version: GatewayVersion
    ) async -> WebReply {
        let wanted = request.queryValue("return_to").flatMap { ReturnTarget($0) }
        return version.pages.signOut(
            await site.web.shownSession(of: request), version.web,
            returningTo: wanted ?? ReturnTarget(GatewayPaths.web.signedOut) ?? .home)
    }

    private func accountPage(
        _ request: HTTPRequest, _ site: HostSites.Site, _ version: GatewayVersion
    ) async -> WebReply {
        do {
            guard let session = try await site.web.liveSession(of: request),
                let target = ReturnTarget(GatewayPaths.account)
            else {
                let target = ReturnTarget(GatewayPaths.account) ?? .home
                return .found(version.web.signInPath(returningTo: target))
            }
            return version.pages.account(session, version.web, returningTo: target)
        } catch {
            return unavailable(error, version)
        }
    }

    private func unavailable(_ error: any Error, _ version: GatewayVersion) -> WebReply {
        let id = newID()
        logger.warning("The session cannot be read", metadata: ["id": "\(id)", "cause": "\(error)"])
        return version.pages.unavailable(id: id)
    }

    // MARK: - Sign-in for another host

    /// At another host: remembers the browser, and leads it to the origin.
    private func leaveForSignIn(
        _ request: HTTPRequest, _ host: String, _ site: HostSites.Site, _ version: GatewayVersion
    ) -> WebReply {
        let (entry, cookie) = site.web.beginEntry(request)
        let query = PercentEncoding.encode([
            (name: "host", value: host), (name: "entry", value: entry),
            (name: "return_to", value: request.queryValue("return_to").flatMap { ReturnTarget($0) }?.path ?? "/"),
            (name: "choose", value: request.queryValue("choose") == nil ? "" : "1"),
        ])
        var reply = WebReply.found("\(version.rules.origin.site)\(GatewayPaths.enter)?\(query)")
        if let cookie { reply.head.headerFields.append(HTTPField(name: .setCookie, value: cookie)) }
        return reply
    }

    /// At the origin: leads to the host with a ticket, or first to the sign-in.
    private func handOver(_ request: HTTPRequest, _ version: GatewayVersion) async -> WebReply {
        guard let name = request.queryValue("host"), let host = HTTPRequest.host(of: name),
            !version.hosts.isOwn(host), let site = version.hosts.site(of: host),
            let entry = request.queryValue("entry")
        else { return version.pages.notFound() }
        let target = request.queryValue("return_to").flatMap { ReturnTarget($0) } ?? .home
        do {
            let wantsChoice = !(request.queryValue("choose") ?? "").isEmpty
            if !wantsChoice,
                let ticket = try await version.web.ticket(for: site.web, entry: entry, returningTo: target, request)
            {
                let query = PercentEncoding.encode([(name: "ticket", value: ticket)])
                return .found("\(site.origin.site)\(GatewayPaths.entered)?\(query)")
            }
        } catch {
            return unavailable(error, version)
        }
        func back(_ target: ReturnTarget) -> ReturnTarget? {
            let query = PercentEncoding.encode([
                (name: "host", value: host), (name: "entry", value: entry), (name: "return_to", value: target.path),
            ])
            return ReturnTarget("\(GatewayPaths.enter)?\(query)")
        }
        // A path that is too long for both is dropped.
        guard let back = back(target) ?? back(.home) else { return version.pages.notFound() }
        return .found(version.web.signInPath(returningTo: back))
    }

    /// At the other host: takes the ticket.
    private func entered(_ request: HTTPRequest, _ site: HostSites.Site, _ version: GatewayVersion) -> WebReply {
        let reply = request.queryValue("ticket").flatMap { try? site.web.enter($0, request) }
        guard let reply else {
            let id = newID()
            logger.notice(
                "A ticket for a session is not accepted", metadata: ["id": "\(id)", "host": "\(site.origin.host)"])
            return version.pages.ticketRefused(id: id)
        }
        return reply
    }
}

extension HTTPRequest {
    /// The host of the request, in the form of `ForwardedRequest`.
    var host: String? { authority.flatMap(Self.host) }

    static func host(of authority: String) -> String? {
        try? ForwardedRequest(method: "GET", scheme: "https", host: authority, target: "/").host
    }
}
