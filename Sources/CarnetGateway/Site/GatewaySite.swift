package import CarnetFoundation
import CarnetProtocol
package import CarnetWeb
package import HTTPTypes
package import Logging

/// The gateway beside a proxy, in plain HTTP values: it decides about requests, and signs people in.
package final class GatewaySite: Sendable {
    private let version: Lock<GatewayVersion>
    let logger: Logger
    let random: any RandomSource
    let counts: DecisionCounts
    /// Of the latest 256 refusals or more: the page of one is no second refusal.
    private let references = Lock(Recent<ByteKey, Bool>(limit: 512))
    private let isDraining = Lock(false)
    private let readiness = Readiness()
    /// The versions before, which may have refreshes in progress.
    private let former = Lock<[WebSignIn]>([])

    package init(
        _ version: GatewayVersion, random: any RandomSource = SystemRandomSource(),
        logger: Logger = Logger(label: "carnet.gateway", factory: { _ in SwiftLogNoOpLogHandler() })
    ) {
        self.version = Lock(version)
        self.random = random
        self.logger = logger
        counts = DecisionCounts()
    }

    /// The current version of the file.
    package var current: GatewayVersion { version.withLock { $0 } }

    /// Uses another version for the requests from now on. Sessions and sign-ins that have begun continue.
    package func replace(_ new: GatewayVersion) {
        let old = version.withLock { version in
            defer { version = new }
            return version.web
        }
        former.withLock { $0 = $0.suffix(3) + [old] }
    }

    /// Returns when no sign-in and no refresh of tokens is in progress.
    package func finish() async {
        for web in former.withLock({ $0 }) + [current.web] { await web.finish() }
    }

    /// Reports that the gateway is not ready, so that a balancer sends no more requests.
    package func drain() { isDraining.withLock { $0 = true } }

    /// Handles a request of a proxy.
    ///
    /// - Parameter peer: The other end of the connection; `nil` for a socket in the file system.
    package func respond(to request: HTTPRequest, body: [UInt8] = [], from peer: IPAddress?) async -> WebReply {
        var reply = await fullReply(to: request, body: body, from: peer)
        if request.method == .head { reply.body = "" }
        return reply
    }

    private func fullReply(to request: HTTPRequest, body: [UInt8], from peer: IPAddress?) async -> WebReply {
        let version = current
        switch request.pathOnly {
        case GatewayPaths.decide: return await decide(request, from: peer, version)
        case GatewayPaths.refused: return await refusedPage(request, from: peer, version)
        case _ where request.hasProxySecret:
            // No page may look like a decision: 200 would allow the request that the proxy asked about.
            return misconfigured("\(ProxyHeader.secret) belongs to \(GatewayPaths.decide) alone, not to other paths")
        case GatewayPaths.health: return .text(.ok, "ok\n")
        case GatewayPaths.ready:
            let problems =
                await isDraining.withLock { $0 }
                ? ["The gateway is shutting down."] : readiness.problems(of: version.web)
            for problem in readiness.news(in: problems) {
                logger.warning("Not ready", metadata: ["problem": "\(problem)"])
            }
            return problems.isEmpty
                ? .text(.ok, "ready\n") : .text(.serviceUnavailable, "not ready; the log has the reason\n")
        case GatewayPaths.keys: return keySet(version)
        default: return await page(request, body, from: peer, version)
        }
    }

    private func keySet(_ version: GatewayVersion) -> WebReply {
        guard let tokens = version.identityTokens else {
            return .text(.notFound, "the gateway file has no identity_token\n")
        }
        var reply = WebReply.text(.ok, tokens.keySet)
        reply.head.headerFields[.contentType] = "application/jwk-set+json"
        reply.head.headerFields[.cacheControl] = "public, max-age=300"
        return reply
    }

    /// The reference of a log entry and of the page that the client gets.
    func newID() -> String { random.bytes(count: 6).hexadecimal }

    /// The same for a refused decision. nginx fetches the page of the refusal with it.
    func newReference() -> String {
        let id = newID()
        references.withLock { $0.keep(true, for: ByteKey(id)) }
        return id
    }

    /// Whether it is one of the latest references, which nobody can make up; only once.
    func takeReference(_ id: String) -> Bool {
        references.withLock { references in
            defer { references.forget(ByteKey(id)) }
            return references.value(of: ByteKey(id)) ?? false
        }
    }
}

extension HTTPRequest {
    /// The target up to its query.
    var pathOnly: String { String(Substring((path ?? "").utf8.prefix { $0 != UInt8(ascii: "?") })) }

    var hasProxySecret: Bool { HTTPField.Name(ProxyHeader.secret).map(headerFields.contains) ?? false }

    /// Whether a browser asks for the script of a service worker. A page cannot leave the header out (Service Workers,
    /// section "Service Worker Script Request").
    var isForServiceWorker: Bool { HTTPField.Name("Service-Worker").map(headerFields.contains) ?? false }

    /// Whether a browser shows the response as a page, by its headers: a program gets no redirect.
    ///
    /// - Parameter method: Of the request that the proxy received.
    func isNavigation(_ method: String) -> Bool {
        guard method == "GET" || method == "HEAD", wantsPage else { return false }
        return fetchMode.map { $0 == "navigate" } ?? true
    }

    /// Whether a browser sends a form and shows the response as a page.
    func isForm(_ method: String) -> Bool { method == "POST" && wantsPage && fetchMode == "navigate" }

    private var wantsPage: Bool {
        !headerFields.contains(.authorization) && headerFields[.accept]?.contains("text/html") ?? false
    }

    private var fetchMode: String? { HTTPField.Name("Sec-Fetch-Mode").flatMap { headerFields[$0] } }
}

extension WebReply {
    /// A response for programs and operators, which nobody keeps.
    static func text(_ status: HTTPResponse.Status, _ text: String) -> WebReply {
        WebReply(
            HTTPResponse(
                status: status,
                headerFields: [
                    .contentType: "text/plain; charset=utf-8", .cacheControl: "no-store",
                    .xContentTypeOptions: "nosniff",
                ]), body: text)
    }
}
