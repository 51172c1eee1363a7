import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetResourceServer
import CarnetWeb
import HTTPTypes
import Logging

extension GatewaySite {
    /// Decides about the request that a proxy asks about: 200 with the identity; 302 to the sign-in for a browser; else 401 or
    /// 403, which every proxy understands, or 503.
    ///
    /// - Parameter noted: The reference of this refusal, which was counted and logged before.
    func decide(
        _ request: HTTPRequest, from peer: IPAddress?, _ version: GatewayVersion, noted: String? = nil
    ) async -> WebReply {
        let asked: ForwardedRequest
        do throws(ForwardingProblem) {
            asked = try ForwardedRequest(
                request, from: peer, by: version.rules.proxy, secret: version.proxySecret)
        } catch {
            return misconfigured(error.publicReason, logging: error.reason, client: request.client, noted: noted)
        }
        for name in version.forged.found(in: request) {
            logger.warning(
                "A client's identity header reached the gateway: let the proxy remove or replace it for the program too",
                metadata: ["header": "\(name)"])
        }
        let question = Question(owner: self, asked: asked, request: request, version: version, noted: noted)
        let senders: [GatewayIdentity]
        do throws(Question.Refusal) {
            senders = try await question.identities()
        } catch {
            // A route for anyone needs no sender.
            guard version.gateway.decide(asked, as: nil).isAllowed else { return question.refuse(error) }
            senders = []
        }
        let decision = version.gateway.decide(asked, asAnyOf: senders)
        if decision.isAllowed, let refused = question.refusedWorker() { return refused }
        if noted == nil { counts.count(decision.outcome.rawValue) }
        guard !decision.isAllowed else { return await question.allow(decision) }
        return await question.refuse(decision, senders)
    }

    /// The page of a refusal. Who may open the page by now is led to it: there is no 2xx but that of a decision.
    func refusedPage(_ request: HTTPRequest, from peer: IPAddress?, _ version: GatewayVersion) async -> WebReply {
        let noted = request.headerFields[.decision].flatMap { takeReference($0) ? $0 : nil }
        let decided = await decide(request, from: peer, version, noted: noted)
        guard decided.head.status == .ok else { return decided }
        let asked = try? ForwardedRequest(request, from: peer, by: version.rules.proxy, secret: version.proxySecret)
        return .found(asked?.returnTarget.path ?? "/")
    }

    /// A request that did not come through a proxy, or through one whose configuration lacks something.
    func misconfigured(
        _ reason: String, logging logged: String? = nil, client: String? = nil, noted: String? = nil
    ) -> WebReply {
        let id = noted ?? newReference()
        if noted == nil {
            counts.count("misconfigured")
            logger.warning(
                "The proxy's request cannot be used",
                metadata: ["id": "\(id)", "reason": "\(logged ?? reason)", "client": "\(client ?? "")"])
        }
        return forbidden(reason, id)
    }

    fileprivate func forbidden(_ reason: String, _ id: String) -> WebReply {
        WebReply.text(
            .forbidden, "carnet gateway: \(reason)\nReference: \(id), for the entry in the gateway's log\n"
        ).referring(to: id)
    }

    /// What somebody may open: a host, or the folders of its routes if its first page is not for them.
    func programs(of accounts: [GatewayIdentity], _ version: GatewayVersion) -> [String] {
        let own = version.rules.origin.host
        var hosts: [String] = []
        for host in [own] + version.rules.routes.flatMap(\.hosts) where !host.hasPrefix("*.") && !hosts.contains(host) {
            hosts.append(host)
        }
        guard !accounts.isEmpty else { return [] }
        func address(_ host: String, _ folder: String) -> String? {
            guard
                let page = try? ForwardedRequest(
                    method: "GET", scheme: version.rules.origin.scheme, host: host, target: "\(folder)/"),
                let site = version.hosts.site(of: page.host),
                version.gateway.decide(page, asAnyOf: accounts).isAllowed
            else { return nil }
            return site.origin.site + folder
        }
        return hosts.flatMap { host in
            if let whole = address(host, "") { return [whole] }
            let routes = version.rules.routes.filter { $0.hosts.isEmpty || $0.hosts.contains(host) }
            let folders = Set(routes.compactMap(\.folder)).sorted()
            return folders.compactMap { address(host, $0) }
        }
    }
}

/// A request that a proxy asks about, with the version of the file that decides.
private struct Question {
    let owner: GatewaySite
    let asked: ForwardedRequest
    /// The proxy's.
    let request: HTTPRequest
    let version: GatewayVersion
    /// The reference of this refusal, which was counted and logged before.
    let noted: String?

    var isNavigation: Bool { request.isNavigation(asked.method) }
    var isForm: Bool { request.isForm(asked.method) }
    var site: HostSites.Site? { version.hosts.site(of: asked.host) }
    var acceptsTokens: Bool { version.gateway.route(of: asked)?.acceptsTokens ?? false }

    // MARK: - The sender

    /// Why nobody knows who sent a request.
    enum Refusal: Error {
        /// The access token is not accepted.
        case token(AccessRefusal)
        /// The store of the sessions cannot be read.
        case unavailable(String)
    }

    /// The sender: a program by its access token where the route takes one, else the accounts of the session.
    func identities() async throws(Refusal) -> [GatewayIdentity] {
        guard let site else { return [] }
        if let server = site.server, request.hasAccessToken, acceptsTokens {
            switch await server.decide(asked.received(request, site.origin), from: request.client) {
            case .allowed(let caller?): return [GatewayIdentity(caller, version.issuers)]
            case .allowed(nil): return []
            case .refused(let refusal): throw .token(refusal)
            }
        }
        guard site.web.session(of: request) != nil else { return [] }
        let isOpen = version.gateway.decide(asked, as: nil).isAllowed
        let patience = isOpen ? version.patience.openStore : version.patience.store
        let reading = Task { try await site.web.liveSession(of: request) }
        // What nobody waits for any longer leaves the store's queue.
        defer { reading.cancel() }
        let session: WebSession??
        do {
            session = try await reading.value(within: patience)
        } catch {
            throw .unavailable("\(error)")
        }
        guard let session else {
            throw .unavailable(
                Task.isCancelled ? "the proxy closed its request" : "the store did not respond within \(patience)")
        }
        return session?.accounts.map { GatewayIdentity($0, version.web) } ?? []
    }

    // MARK: - Responses

    /// The refusal of a service worker: it gets each address of its host before the network does, also a ticket, which
    /// would then serve outside the browser. At the origin there are no tickets.
    func refusedWorker() -> WebReply? {
        guard request.isForServiceWorker, !version.hosts.isOwn(asked.host),
            version.gateway.route(of: asked)?.serviceWorker == nil
        else { return nil }
        let id = reference(
            GatewayDecision.Outcome.forbidden.rawValue, "A service worker is refused",
            "the route has no service_worker")
        return owner.forbidden("a service worker of this host could read the sign-ins of its visitors", id)
    }

    func allow(_ decision: GatewayDecision) async -> WebReply {
        var fields: HTTPFields = [.cacheControl: "no-store", .cookie: version.web.cookiesOfOthers(in: request)]
        for header in decision.headers { fields[header.name] = header.value }
        // Some proxies keep the client's copy of a header that the response does not have.
        for name in decision.absentHeaders { fields[name] = "" }
        if let tokens = version.identityTokens, let identity = decision.identity {
            do {
                fields[tokens.header] = try tokens.token(
                    of: identity, for: (site?.origin ?? version.rules.origin).site, now: version.web.clock.now)
            } catch {
                return unavailable("the identity token cannot be signed", "No identity token", error, decision)
            }
        }
        do {
            try await addTokens(decision, to: &fields)
        } catch let error as OAuthError where error.disposition == .signInAgain {
            return signInAgain(decision, error)
        } catch {
            return unavailable("the program's token is unavailable", "No token for the program", error, decision)
        }
        return WebReply(HTTPResponse(status: .ok, headerFields: fields))
    }

    /// The program's token comes with the next sign-in alone. The page asks for it, although somebody is signed in.
    func signInAgain(_ decision: GatewayDecision, _ error: OAuthError) -> WebReply {
        note(owner.newID(), "A program's token needs another sign-in", "\(error)", decision)
        if isNavigation {
            return .found(version.web.signInPath(returningTo: asked.returnTarget) + "&choose=1")
        }
        if isForm { return .found(GatewayPaths.ended) }
        return .text(.unauthorized, "carnet gateway: sign in again\n")
    }

    func unavailable(
        _ reason: String, _ message: Logger.Message, _ error: any Error, _ decision: GatewayDecision
    ) -> WebReply {
        let id = owner.newID()
        note(id, message, "\(error)", decision, at: .error)
        return .text(.serviceUnavailable, "carnet gateway: \(reason)\nReference: \(id)\n")
    }

    /// Sets the token that the route's program gets. A program that did not ask gets none: headers of other routes are empty,
    /// and `Authorization` is what the client sent. Where a program expects the person's token, it gets nothing else in its
    /// place but the token of another program that the gateway has validated.
    func addTokens(_ decision: GatewayDecision, to fields: inout HTTPFields) async throws {
        let own = decision.route?.token
        for header in version.tokenHeaders {
            let isPerson = decision.identity?.kind == .person
            if let own, own.header == header, isPerson, let account = decision.identity?.account {
                fields[header] = try await version.programTokens.value(own, of: account, version.web)
            } else if header == .authorization, own?.header != header || decision.identity?.kind == .program {
                let sent = request.headerFields[values: header]
                fields[header] = sent.count == 1 ? sent[0] : ""
            } else {
                fields[header] = ""
            }
        }
    }

    func refuse(_ refusal: Refusal) -> WebReply {
        switch refusal {
        case .token(let refusal):
            let id = reference("token_refused", "The access token is refused", refusal.reason)
            var reply = WebReply(refusal.response).referring(to: id)
            if reply.head.status.code < 500, reply.head.status != .unauthorized { reply.head.status = .forbidden }
            return reply
        case .unavailable(let reason):
            let id = reference("unavailable", "The session cannot be read", reason)
            guard !isNavigation else { return version.pages.unavailable(id: id) }
            return .text(.serviceUnavailable, "carnet gateway: sessions are unavailable\nReference: \(id)\n")
        }
    }

    /// The reference of a refusal, which is counted and logged once.
    func reference(_ outcome: String, _ message: Logger.Message, _ reason: String) -> String {
        if let noted { return noted }
        let id = owner.newReference()
        owner.counts.count(outcome)
        note(id, message, reason)
        return id
    }

    func refuse(_ decision: GatewayDecision, _ senders: [GatewayIdentity]) async -> WebReply {
        // What leads to a sign-in is no refusal, and has no reference.
        let id = noted ?? (decision.outcome == .signIn ? "" : owner.newReference())
        if decision.outcome != .signIn, noted == nil {
            // Without a route, the decision is about nobody.
            let sender = senders.first.map(version.gateway.shown)
            note(id, "A request is refused", decision.reason, decision, sender: sender)
        }
        switch decision.outcome {
        case .signIn where isNavigation:
            if ReturnTarget(asked.target) == nil {
                owner.logger.notice(
                    "A page is not returned to after the sign-in, because a proxy may read its path as another site or as a line of a header",
                    metadata: ["host": "\(asked.host)", "path": "\(asked.target.prefix { $0 != "?" }.prefix(200))"])
            }
            return .found(version.web.signInPath(returningTo: asked.returnTarget))
        case .signIn where isForm: return .found(GatewayPaths.ended)
        case .signIn:
            return challenge([]) ?? .text(.unauthorized, "carnet gateway: sign in first\n")
        case .forbidden where isNavigation || isForm:
            var signOutName: String?
            if let provider = decision.identity?.provider {
                signOutName = await version.web.nameOfSignOut(at: provider)
            }
            return version.pages.forbidden(decision, asked, signOutName, id: id, version)
        case .noRoute where isNavigation:
            return version.pages.notHere(owner.programs(of: senders, version), id: id)
        case .forbidden where decision.identity?.kind == .program:
            let challenge = decision.missing.onlyScopes.flatMap { self.challenge($0) }
            return challenge?.referring(to: id) ?? owner.forbidden("the request is refused", id)
        default: return owner.forbidden("the request is refused", id)
        }
    }

    /// The response with a challenge, at a route that takes access tokens (RFC 6750, section 3; RFC 9728, section 5.1).
    func challenge(_ scopes: [String]) -> WebReply? {
        guard acceptsTokens, let site, let server = site.server else { return nil }
        let received = asked.received(request, site.origin)
        return WebReply(server.refusal(of: received, lacking: scopes).response)
    }

    /// The log entry of a refusal, without the query, which may have secrets. Of the person it has the provider's id, which
    /// says little to others.
    func note(
        _ id: String, _ message: Logger.Message, _ reason: String, _ decision: GatewayDecision? = nil,
        sender: GatewayIdentity? = nil, at level: Logger.Level = .notice
    ) {
        let identity = decision?.identity ?? sender
        owner.logger.log(
            level: level, message,
            metadata: [
                "id": "\(id)", "outcome": "\(decision?.outcome.rawValue ?? "")", "reason": "\(reason)",
                "route": "\(decision?.place ?? "")", "method": "\(asked.method)", "host": "\(asked.host)",
                "path": "\(asked.target.prefix { $0 != "?" }.prefix(200))",
                "provider": "\(identity?.provider.rawValue ?? "")",
                "subject": "\((identity?.subject ?? "").quotable())", "client": "\(request.client ?? "")",
                "email": "\(owner.current.rules.log.showsEmail ? identity?.email ?? "" : "")",
            ])
    }
}

extension HTTPField.Name {
    /// The reference of a refusal, for the log entry.
    static var decision: HTTPField.Name {
        guard let name = HTTPField.Name("Carnet-Decision") else { preconditionFailure("it is a name") }
        return name
    }
}

extension WebReply {
    /// With the reference of a refusal, for the log entry.
    func referring(to id: String) -> WebReply {
        var reply = self
        reply.head.headerFields[.decision] = id
        return reply
    }
}

extension [GatewayDecision.Missing] {
    /// The scopes, if nothing else is missing.
    fileprivate var onlyScopes: [String]? {
        guard count == 1, case .scopes(let scopes) = self[0] else { return nil }
        return scopes
    }
}

extension HTTPRequest {
    fileprivate var hasAccessToken: Bool {
        headerFields[values: .authorization].contains { field in
            let scheme = field.utf8.prefix { $0 != UInt8(ascii: " ") }
            return ["bearer", "dpop"].contains(String(decoding: scheme, as: UTF8.self).lowercased())
        }
    }
}

extension ForwardedRequest {
    /// Where a browser comes back to after a sign-in: the same path of the same host.
    var returnTarget: ReturnTarget { ReturnTarget(target) ?? .home }

    /// The request with an access token, as the program behind will receive it.
    func received(_ request: HTTPRequest, _ origin: WebURL) -> HTTPRequest {
        var received = request
        received.method = HTTPRequest.Method(method) ?? .get
        received.scheme = origin.scheme
        received.authority = origin.authority
        received.path = target
        return received
    }
}

extension GatewayIdentity {
    fileprivate init(_ caller: Caller, _ issuers: [TokenIssuer]) {
        let provider = issuers.first { $0.client.provider.id == caller.provider }?.client.provider
        self.init(
            kind: .program, provider: caller.provider, issuer: caller.issuer, subject: caller.subject,
            name: caller.claims["name"]?.string, email: caller.claims["email"]?.string,
            isEmailVerified: caller.claims["email_verified"]?.decidedTruth, clientID: caller.clientID,
            scopes: Self.granted(caller.scopes, at: provider), claims: caller.claims,
            tenants: provider?.shared.tenants(of: caller.issuer))
    }

    init(_ account: WebAccount, _ web: WebSignIn) {
        let provider = web.clients[account.provider]?.provider
        self.init(
            kind: .person, provider: account.provider, issuer: account.issuer, subject: account.subject,
            name: account.name, email: account.email, isEmailVerified: account.isEmailVerified,
            scopes: Self.granted(account.scopes, at: provider), claims: account.claims,
            tenants: provider?.shared.tenants(of: account.issuer))
        self.account = account
    }

    /// The scopes with all that they imply at the provider.
    private static func granted(_ scopes: [String], at provider: Provider?) -> Set<String> {
        provider.map { ResourceMap([], scopes: $0.scopes).effectiveScopes(scopes) } ?? Set(scopes)
    }
}
