package import CarnetDescriptors
import CarnetFoundation

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

    func related(_ message: String, at span: SourceSpan) -> Diagnostic.Related {
        Diagnostic.Related(message: message, file: path, span: span)
    }
}

/// One thing that a gateway file can get wrong although it reads well. Its explanation has the examples that are its tests.
package protocol GatewayRule: Sendable {
    var explanation: DiagnosticExplanation { get }
    func check(_ context: GatewayContext) -> [Diagnostic]
}

extension GatewayRule {
    func finding(
        _ message: String, _ context: GatewayContext, at span: SourceSpan, help: String? = nil,
        related: [Diagnostic.Related] = []
    ) -> Diagnostic {
        explanation.diagnostic(message, file: context.path, span: span, help: help, related: related)
    }
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

    package static let all: [any GatewayRule] = decisive + advisory

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
