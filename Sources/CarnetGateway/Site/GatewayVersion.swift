package import CarnetFoundation
package import CarnetResourceServer
package import CarnetWeb
import HTTPTypes

/// How long a decision waits for others. A proxy would take a gateway that waits longer for dead.
package struct GatewayPatience: Sendable {
    /// For the store of the sessions, which may try longer.
    package var store = Duration.seconds(5)
    /// The same where anyone may send the request: the identity headers are worth a moment, and not the wait for a dead store.
    package var openStore = Duration.milliseconds(500)
    /// For a provider that issues a token for a program.
    package var provider = Duration.seconds(3)

    package init() {}
}

/// One version of a gateway file, with everything that was made of it. A request is handled with one version.
package struct GatewayVersion: Sendable {
    package let gateway: Gateway
    package let web: WebSignIn
    /// The issuers of `bearer`.
    let issuers: [TokenIssuer]
    package let usedProofs: any UsedTokenStore
    let proxySecret: Secret?
    let identityTokens: IdentityTokens?
    let hosts: HostSites
    let forged: ForgedHeaders
    let programTokens: ProgramTokens
    /// Those of all routes' `token`.
    let tokenHeaders: Set<HTTPField.Name>
    let patience: GatewayPatience
    let pages: GatewayPages

    var rules: GatewayRules { gateway.rules }

    /// Whether an address is that of a proxy that the file names; by default, this machine is one.
    package func isProxy(_ address: IPAddress) -> Bool { rules.proxy.trusted.contains { $0.contains(address) } }

    /// - Parameters:
    ///   - usedProofs: Remembers used DPoP proofs, for all hosts; this version's memory by default. Replicas must share one.
    ///   - proxySecret: The value of `proxy.secret`.
    ///   - identityKeys: The keys of `identity_token`: the first signs, all are published.
    package init(
        _ gateway: Gateway, web: WebSignIn, issuers: [TokenIssuer] = [], usedProofs: (any UsedTokenStore)? = nil,
        proxySecret: Secret? = nil, identityKeys: [ClientKey] = [], patience: GatewayPatience = GatewayPatience()
    ) {
        self.gateway = gateway
        self.web = web
        self.issuers = issuers
        self.usedProofs = usedProofs ?? MemoryUsedTokenStore.ofProofs()
        self.proxySecret = proxySecret
        identityTokens = gateway.rules.identityToken.map { IdentityTokens($0, identityKeys, gateway.rules) }
        hosts = HostSites(web, issuers, self.usedProofs, gateway)
        pages = GatewayPages(gateway.rules)
        programTokens = ProgramTokens(patience: patience.provider)
        tokenHeaders = Set(gateway.rules.routes.compactMap { $0.token?.header })
        self.patience = patience
        forged = ForgedHeaders(gateway.rules)
    }
}

extension GatewayRules {
    /// The claims that the file reads, for a site to keep.
    package var claimNames: [String] {
        let conditions = routes.flatMap(\.allow.conditions)
        let names =
            providers.map(\.groups) + conditions.flatMap(\.claims.names) + headers.all.flatMap(\.template.claimNames)
        // A JSON Pointer leads into the claim of its first part.
        let claims = names.map { $0.hasPrefix("/") ? JSONPointer($0)?.tokens.first ?? $0 : $0 }
        return claims.reduce(into: []) { if !$0.containsBytes(of: $1) { $0.append($1) } }
    }
}

extension HeaderTemplate {
    fileprivate var claimNames: [String] {
        parts.compactMap { if case .claim(let name) = $0 { name } else { nil } }
    }
}
