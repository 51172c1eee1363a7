package import CarnetDescriptors

/// What a rule about gateway files sees.
package struct GatewayContext: Sendable {
    let path: String
    let root: YAMLNode
    let rules: GatewayRules
    /// The known providers; `nil` if the file is read alone.
    let registry: ProviderRegistry?

    /// Each condition with its route.
    var conditions: [(route: GatewayRoute, condition: GatewayCondition)] {
        rules.routes.flatMap { route in route.allow.conditions.map { (route, $0) } }
    }

    /// The value at a path of keys.
    func node(_ keys: String...) -> YAMLNode? { root.node(at: keys) }

    /// What the rules find.
    func diagnostics(of rules: [any GatewayRule]) -> [Diagnostic] {
        rules.flatMap { rule in
            rule.check(self).map { found in
                rule.explanation.diagnostic(
                    found.message, file: path, span: found.span, help: found.help,
                    related: found.related.map { [.init(message: $0.message, file: path, span: $0.span)] } ?? [])
            }
        }
    }
}

/// One thing that a gateway file can get wrong although it reads well. Its explanation has the examples that are its tests.
protocol GatewayRule: Sendable {
    var explanation: DiagnosticExplanation { get }
    func check(_ context: GatewayContext) -> [GatewayFinding]
}

struct GatewayFinding {
    let message: String
    let span: SourceSpan
    let help: String
    /// Another place of the file, and what is there.
    let related: (message: String, span: SourceSpan)?

    init(
        _ message: String, at span: SourceSpan, help: String, related: (message: String, span: SourceSpan)? = nil
    ) {
        (self.message, self.span, self.help, self.related) = (message, span, help, related)
    }
}

/// The question whether another name was meant; `nil` if none is near.
func suggestion(for name: String, among names: [String], within limit: Int = 3) -> String? {
    nearestName(to: name, in: names, within: limit).map { "did you mean \"\($0)\"?" }
}

/// Every rule about gateway files. Codes are never used again for something else.
package enum GatewayRuleCatalog {
    /// Without these, the gateway could decide in two ways, or not at all, so that the file cannot be used.
    static let decisive: [any GatewayRule] = [
        ProviderNotInFile(), RepeatedRoute(), AccountOfAnyProvider(), TokensWithoutIssuer(), RepeatedHeader(),
    ]

    static let advisory: [any GatewayRule] = [
        InlineSecret(), ImpossibleCondition(), UselessCondition(), AnyProxyTrusted(), UnknownGatewayProvider(),
        UnusedIssuer(), ProviderInputs(), UnverifiedEmail(), PointerWithoutSlash(), HostWithoutTLS(),
        ClaimWithoutScope(), SubjectOfAnyProvider(), HostOfRequestLine(), StatementOfAnyTenant(),
        OpenToEverybody(), TokenWithoutSecret(), TokenOfAnyProvider(), UnregisteredMethod(),
        GatewayKeyWithoutEffect(), GroupWithoutClaim(), HeaderOfTheProxy(),
    ]

    static let all: [any GatewayRule] = decisive + advisory

    /// The findings of which a comment silences none: they need the known providers.
    static let unsilenced = [UnknownGatewayProvider().explanation.code, StatementOfAnyTenant().explanation.code]

    /// The findings with which no gateway starts.
    package static let refused = unsilenced + [TokenWithoutSecret().explanation.code]

    /// Sorted by code. Their examples are whole files.
    package static let explanations = all.map { rule in
        var explanation = rule.explanation
        explanation.bad = explanation.bad.map(completed)
        explanation.good = explanation.good.map(completed)
        return explanation
    }.sorted { $0.code < $1.code }

    /// An example with what every gateway file has.
    private static func completed(_ example: String) -> String {
        let lines = example.split(whereSeparator: \.isNewline).map { $0.filter { !"⟦⟧".contains($0) } }
        func says(_ key: String) -> Bool { lines.contains { $0.hasPrefix(key + ":") } }
        guard !says("gateway") else { return example }
        return "gateway: 1\n" + (says("origin") ? "" : "origin: https://apps.example\n")
            + (says("providers") ? "" : "providers: [acme]\n") + example
            + (says("routes") ? "" : "routes: [{ allow: signed_in }]\n")
    }
}
