import CarnetDescriptors

/// A place of the descriptor that says how an assertion is made.
struct AssertionSection {
    let path: [String]
    let rules: @Sendable (ProviderDescriptor) -> AssertionRules

    static let all = [
        AssertionSection(path: ["client", "assertion"]) { $0.client.assertion },
        AssertionSection(path: ["jwt_bearer", "assertion"]) { $0.jwtBearer.assertion.rules },
    ]

    var name: String { path.joined(separator: ".") }

    func span(_ key: String, in context: LintContext) -> SourceSpan { context.document.span(of: path + [key]) }
}
