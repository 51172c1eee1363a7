import CarnetFoundation
import CarnetResourceServer
import CarnetWeb

/// The sessions and the resource server of each host, made at the first request for it.
final class HostSites: Sendable {
    struct Site: Sendable {
        let origin: WebURL
        let web: WebSignIn
        /// `nil` if the file accepts no access tokens.
        let server: ResourceServer?
    }

    /// A file may know any number of hosts, by a wildcard.
    private static let limit = 1000

    private let web: WebSignIn
    private let issuers: [TokenIssuer]
    private let usedProofs: any UsedTokenStore
    private let gateway: Gateway
    private let sites = Lock<[ByteKey: Site]>([:])

    init(
        _ web: WebSignIn, _ issuers: [TokenIssuer], _ usedProofs: any UsedTokenStore, _ gateway: Gateway
    ) {
        self.web = web
        self.issuers = issuers
        self.usedProofs = usedProofs
        self.gateway = gateway
    }

    /// Whether a host is that of the sign-in.
    func isOwn(_ host: String) -> Bool { host.isSameBytes(as: HostName(gateway.rules.origin.host).text) }

    /// - Parameter host: In the form of `ForwardedRequest`.
    /// - Returns: `nil` for a host that the file does not know.
    func site(of host: String) -> Site? {
        let key = ByteKey(host)
        if let site = sites.withLock({ $0[key] }) { return site }
        guard isOwn(host) || gateway.knows(host: host), let site = try? make(host) else { return nil }
        return sites.withLock { sites in
            // Another request may have made it meanwhile.
            if let site = sites[key] { return site }
            if sites.count >= Self.limit { sites = [:] }
            sites[key] = site
            return site
        }
    }

    private func make(_ host: String) throws -> Site {
        let own = gateway.rules.origin
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        let origin = isOwn(host) ? own : try WebURL("\(own.scheme)://\(name)" + (own.port.map { ":\($0)" } ?? ""))
        let server =
            issuers.isEmpty ? nil : try ResourceServer(origin.site, accepting: issuers, usedProofs: usedProofs)
        return Site(origin: origin, web: isOwn(host) ? web : web.at(origin), server: server)
    }
}
