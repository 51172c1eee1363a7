package import CarnetDescriptors
import CarnetFoundation
package import CarnetProtocol
import HTTPTypes

/// Decides which requests a proxy lets pass. It has no state: one serves all requests until the file changes.
package struct Gateway: Sendable {
    package let rules: GatewayRules
    private let path: String
    private let table: GatewayTable
    private let providers: [ProviderID: GatewayProvider]
    private let issuers: Set<ProviderID>
    private let namedGroups: Set<ByteKey>
    /// The providers whose tenant is open, for identities that somebody made up.
    let tenants: [ProviderID: IssuerPattern]

    /// - Parameter registry: The known providers, for identities that somebody made up.
    /// - Throws: `OAuthError` of kind `badDescriptor` with file and line, for a file with an error.
    package init(_ file: GatewayFile, knowing registry: ProviderRegistry? = nil) throws(OAuthError) {
        guard let rules = file.rules else {
            let mistake = file.diagnostics.first { $0.severity == .error }
            throw OAuthError(
                .configuration, .badDescriptor,
                "the gateway file has a mistake: \(mistake.map { "\($0)" } ?? file.path)", hint: "run carnet lint on it"
            )
        }
        self.rules = rules
        path = file.path
        table = GatewayTable(rules)
        providers = Dictionary(rules.providers.map { ($0.id, $0) }) { first, _ in first }
        issuers = Set(rules.bearer.map(\.provider))
        namedGroups = rules.namedGroups
        tenants = rules.providers.reduce(into: [:]) { tenants, provider in
            if let open = registry.flatMap({ provider.openTenants(in: $0) }) { tenants[provider.id] = open }
        }
    }

    /// Whether the file decides about a host. A sign-in leads back to no other.
    package func knows(host: String) -> Bool { table.knows(host: host) }

    /// The route of a request from any sender; `nil` if none has its host, path and method.
    package func route(of request: ForwardedRequest) -> GatewayRoute? {
        if case .found(let route) = table.find(request) { route } else { nil }
    }

    /// - Parameter identity: `nil` for a request without a session and without a token.
    package func decide(_ request: ForwardedRequest, as identity: GatewayIdentity?) -> GatewayDecision {
        let first = decideTarget(request, as: identity)
        guard first.isAllowed, let second = request.second else { return first }
        func refusing(_ decision: GatewayDecision) -> GatewayDecision? {
            decision.isAllowed
                ? nil
                : refusal(
                    decision.outcome, "\(request.method) has \(second.reach), where: \(decision.reason)",
                    by: decision.route, identity, missing: decision.missing)
        }
        func below(_ target: String?) -> GatewayDecision? {
            let method = target == nil ? nil : request.method
            guard let routes = table.routes(below: target, of: request.host, method: method) else {
                return refusal(
                    .noRoute, "\(request.method) has \(second.reach), where a path has routes for other methods only")
            }
            return routes.lazy.compactMap { refusing(decide(by: $0, as: identity)) }.first
        }
        switch second {
        case .hidden: return below(nil) ?? first
        case .below: return below(request.target) ?? first
        case .destination(let text):
            guard let destination = try? request.redirected(to: text) else {
                return refusal(.malformed, "the value of Destination is invalid")
            }
            return refusing(decideTarget(destination, as: identity)) ?? below(request.target)
                ?? below(destination.target) ?? first
        }
    }

    private func decideTarget(_ request: ForwardedRequest, as identity: GatewayIdentity?) -> GatewayDecision {
        switch table.find(request) {
        case .found(let route): return decide(by: route, as: identity)
        case .malformed(let problem):
            return decideAnyReading(request, as: identity) ?? refusal(.malformed, "the path \(problem.reason)")
        case .unknownHost: return refusal(.noRoute, "no route has the host")
        case .none: return refusal(.noRoute, "no route has the path")
        case .ambiguous: return refusal(.noRoute, "the path differs from that of a route only in its case")
        case .methods(let methods):
            return refusal(.noRoute, "the routes of the path have other methods: " + methods.joined(separator: ", "))
        }
    }

    /// Allows a path that programs read in different ways if the sender may send the request to every route of the host, of
    /// which one takes what no other does. A program may read a path of the host that has routes, but none for the method.
    private func decideAnyReading(_ request: ForwardedRequest, as identity: GatewayIdentity?) -> GatewayDecision? {
        guard identity != nil, request.target.utf8.first == UInt8(ascii: "/"),
            let routes = table.routes(below: nil, of: request.host, method: request.method),
            let rest = routes.first(where: { $0.path == "/**" }),
            routes.allSatisfy({ $0.token == nil && decide(by: $0, as: identity).isAllowed })
        else { return nil }
        return decide(by: rest, as: identity)
    }

    private func decide(by route: GatewayRoute, as identity: GatewayIdentity?) -> GatewayDecision {
        let known = identity.flatMap(sender)
        var shown: GatewayIdentity? { identity.map(self.shown) }
        if case .anyone = route.allow {
            // A token where none is taken identifies nobody.
            let sender = known.flatMap { $0.identity.kind == .program && !route.acceptsTokens ? nil : $0 }
            return allowed(sender?.chosen(by: nil), by: route, "anyone may send the request")
        }
        guard let sender = known else {
            let reason = identity.map { identity in
                "\(identity.kind == .program ? "bearer" : "the file") has no provider \(identity.provider)"
            }
            return refusal(.signIn, reason ?? "nobody is signed in", by: route, shown, missing: [.signIn])
        }
        guard sender.identity.kind == .person || route.acceptsTokens else {
            return refusal(.forbidden, "the route takes no access tokens", by: route, shown, missing: [.person])
        }
        guard case .conditions(let conditions) = route.allow else {
            return allowed(sender.chosen(by: nil), by: route, "every signed-in sender may send the request")
        }
        var nearest: [GatewayDecision.Missing]?
        for condition in conditions {
            let missing = condition.missing(for: sender)
            if missing.isEmpty {
                return allowed(
                    sender.chosen(by: condition), by: route, "the sender meets \(path):\(condition.node.firstLine)")
            }
            if missing.count < nearest?.count ?? .max { nearest = missing }
        }
        let missing = nearest ?? []
        var reason = "the sender lacks " + missing.map(\.reason).joined(separator: ", and ")
        if missing.contains(.verifiedEmail), let identity { reason += "; \(identity.lackOfEmail)" }
        if let elsewhere = sender.identity.claims.claimsElsewhere {
            reason +=
                "; the provider left out \(elsewhere.joined(separator: " ").quotable()) and names another place (_claim_names)"
        } else if missing.contains(where: { if case .group = $0 { true } else { false } }) {
            let groups = sender.identity.groups(sender.provider).prefix(8).map { $0.quotable(limit: 60) }
            reason += groups.isEmpty ? "; no groups were sent" : ", and has \(groups.joined(separator: ", "))"
        }
        return refusal(.forbidden, reason, by: route, shown, missing: missing)
    }

    /// Decides about the accounts of one session, the latest sign-in first: the first that is allowed is the sender. If none
    /// is, the decision is about the first.
    package func decide(_ request: ForwardedRequest, asAnyOf identities: [GatewayIdentity]) -> GatewayDecision {
        let first = decide(request, as: identities.first)
        guard first.outcome == .forbidden || first.outcome == .signIn else { return first }
        return identities.dropFirst().lazy.map { decide(request, as: $0) }.first(where: \.isAllowed) ?? first
    }

    private func sender(_ identity: GatewayIdentity) -> Sender? {
        provider(of: identity).map {
            Sender(identity: identity.counting(at: $0), provider: $0, namedGroups: namedGroups)
        }
    }

    /// The identity with the statements that count where no condition names the tenant: for the person, scripts and the log.
    package func shown(_ identity: GatewayIdentity) -> GatewayIdentity {
        sender(identity)?.chosen(by: nil).identity ?? identity.withoutStatements(of: nil)
    }

    /// The provider of a sender: one that people sign in with, or an issuer whose tokens the file accepts.
    private func provider(of identity: GatewayIdentity) -> GatewayProvider? {
        guard identity.kind == .person || issuers.contains(identity.provider) else { return nil }
        return providers[identity.provider].flatMap { $0.signsIn || identity.kind == .program ? $0 : nil }
    }

    private func allowed(_ sender: Sender?, by route: GatewayRoute, _ reason: String) -> GatewayDecision {
        var headers: [(name: HTTPField.Name, value: String)] = []
        var absent = rules.identityToken.map { sender == nil ? [$0.header] : [] } ?? []
        for header in rules.headers.all {
            if let value = sender.flatMap({ header.template.value(for: $0) }) {
                headers.append((header.name, value))
            } else {
                absent.append(header.name)
            }
        }
        return GatewayDecision(
            outcome: .allowed, reason: reason, place: "\(path):\(route.line)", route: route, identity: sender?.identity,
            missing: [], headers: headers, absentHeaders: absent)
    }

    private func refusal(
        _ outcome: GatewayDecision.Outcome, _ reason: String, by route: GatewayRoute? = nil,
        _ identity: GatewayIdentity? = nil, missing: [GatewayDecision.Missing] = []
    ) -> GatewayDecision {
        GatewayDecision(
            outcome: outcome, reason: reason, place: route.map { "\(path):\($0.line)" }, route: route,
            identity: identity,
            missing: missing, headers: [], absentHeaders: [])
    }
}

/// An identity with the provider that states it.
struct Sender {
    var identity: GatewayIdentity
    let provider: GatewayProvider
    let namedGroups: Set<ByteKey>

    /// The sender for the program behind: without a condition that names the tenant, the tenant's statements do not count.
    func chosen(by condition: GatewayCondition?) -> Sender {
        guard let tenants = identity.tenants, !(condition?.names(tenants, of: identity) ?? false) else { return self }
        var sender = self
        sender.identity = identity.withoutStatements(of: tenants)
        return sender
    }
}

extension GatewayCondition {
    /// The first key that needs more than an account of a provider, which only the account's tenant can state.
    var keyOfStatements: YAMLEntry? { node.entries?.first { !["provider", "signed_in"].contains($0.key) } }

    /// Whether the condition, which is met, names the tenant that issued the identity. Only the claims that make the issuer's
    /// name are its own: another claim of the same name may come from elsewhere.
    func names(_ tenants: IssuerPattern, of identity: GatewayIdentity) -> Bool {
        guard tenants.isChosen(by: claims.names), let issuer = identity.issuer else { return false }
        return tenants.makes(issuer) { identity.claims[$0]?.string }
    }

    /// What a sender lacks; empty if the condition is met. Values are compared as bytes, domains without their case.
    func missing(for sender: Sender) -> [GatewayDecision.Missing] {
        let identity = sender.identity
        var missing: [GatewayDecision.Missing] = []
        if !providers.isEmpty, !providers.contains(identity.provider) { missing.append(.provider(providers)) }
        if let tenants = identity.tenants, keyOfStatements != nil, !names(tenants, of: identity) {
            missing.append(.tenant(tenants.claims))
        }
        if !emailDomains.isEmpty || !emails.isEmpty { missing += missingEmail(for: sender) }
        if !subjects.isEmpty, !(identity.subject.map(subjects.containsBytes) ?? false) { missing.append(.subject) }
        if !groups.isEmpty, !sender.identity.groups(sender.provider).contains(where: groups.containsBytes) {
            missing.append(.group(groups))
        }
        if !clientIDs.isEmpty {
            let client = identity.kind == .program ? identity.clientID : nil
            if !(client.map(clientIDs.containsBytes) ?? false) { missing.append(.client) }
        }
        for claim in claims.items where !claim.value.isMet(by: identity.claims.claim(named: claim.name)) {
            missing.append(.claim(claim.name))
        }
        let scopes = scopes.missing(from: identity.scopes)
        return scopes.isEmpty ? missing : missing + [.scopes(scopes)]
    }

    private func missingEmail(for sender: Sender) -> [GatewayDecision.Missing] {
        guard let text = sender.identity.email else { return [.verifiedEmail] }
        let address = EmailAddress(text)
        var missing: [GatewayDecision.Missing] = []
        if !emailDomains.isEmpty, !(address.map { emailDomains.containsBytes(of: $0.domain) } ?? false) {
            missing.append(.emailDomain(emailDomains))
        }
        if !emails.isEmpty {
            let isNamed = address.map { address in
                emails.contains { EmailAddress($0).map(address.isSame) ?? false }
            }
            if !(isNamed ?? false) { missing.append(.email) }
        }
        return missing
    }
}

extension HeaderTemplate {
    /// The value for a sender; `nil` if one of its values is missing or cannot be in a header.
    func value(for sender: Sender) -> String? {
        var text = ""
        for (index, part) in parts.enumerated() {
            let values: [String]
            switch part {
            case .literal(let literal): values = [literal]
            case .value(let value): values = Self.values(value, sender)
            case .claim(let name):
                let isList = sender.identity.claims.claim(named: name)?.array != nil
                values = sender.identity.claims.texts(ofClaim: name).filter { !isList || Self.isElement($0) }
            }
            guard !values.isEmpty, values.allSatisfy(Self.isFieldText) else { return nil }
            // Where a value has the text that ends it, a program could read another value behind it.
            if !part.isLiteral, parts.indices.contains(index + 1), case .literal(let end) = parts[index + 1],
                parts.dropFirst(index + 2).contains(where: { !$0.isLiteral }), values.contains(where: { $0.holds(end) })
            {
                return nil
            }
            text += values.joined(separator: ",")
        }
        // White space at an end does not arrive (RFC 9110, section 5.5), and a proxy refuses a response whose headers are long.
        return text.isEmpty || text.utf8.count > Self.longest || text.utf8.first == 0x20 || text.utf8.last == 0x20
            ? nil : text
    }

    private static func values(_ value: IdentityValue, _ sender: Sender) -> [String] {
        let identity = sender.identity
        func one(_ text: String?) -> [String] { text.map { [$0] } ?? [] }
        return switch value {
        case .provider: [identity.provider.rawValue]
        case .issuer: one(identity.issuer)
        case .id: one(identity.id)
        case .subject: one(identity.shownSubject)
        case .name: one(identity.name)
        case .email: one(identity.email)
        case .groups: identity.shownGroups(sender.provider, named: sender.namedGroups).filter(isElement)
        case .scopes: identity.scopes.sorted().filter(isElement)
        case .clientID: one(identity.clientID)
        }
    }

    /// Whether a text is one element of a list: with a comma, a program behind would find two groups in one.
    private static func isElement(_ text: String) -> Bool {
        !text.isEmpty && !text.utf8.contains(UInt8(ascii: ",")) && isFieldText(text)
    }

    /// In bytes.
    private static let longest = 4_096

    /// Whether a text can be in a header as it is (RFC 9110, section 5.5).
    private static func isFieldText(_ text: String) -> Bool {
        text.utf8.count <= longest && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
