import CarnetDescriptors

struct ProtocolParameterInURL: LintRule {
    let explanation = RuleExplanation(
        code: "E005",
        name: "protocol-parameter-in-url",
        summary: "The query of an endpoint carries a parameter that belongs to the protocol.",
        rationale: """
            An endpoint may have a query of its own, which is kept. A parameter of the protocol in it would be sent twice, \
            and servers differ on which of the two they take; RFC 6749 forbids to repeat one.
            """,
        references: ["RFC 6749, section 3.1", "RFC 6749, section 3.2"],
        bad: [
            """
            endpoints:
              authorization: https://id.acme.example/authorize?⟦response_type=token⟧&tenant=x
              token: https://id.acme.example/token?⟦client_id=abc⟧

            """
        ],
        good: [
            """
            endpoints:
              authorization: https://id.acme.example/authorize?p=b2c_1_sign_in
              token: https://id.acme.example/token

            """
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        context.urls.filter { $0.kind == .endpoint }.flatMap { url in
            url.queryParameters.filter { Self.isReserved($0.name, $0.text) }.map { parameter in
                finding(
                    "the query of \(url.name) sets the protocol's parameter \"\(parameter.name)\"",
                    in: context,
                    at: context.span(of: parameter.text, in: url.node),
                    help: "remove it; Carnet sends the parameters of the protocol itself"
                )
            }
        }
    }

    private static func isReserved(_ name: String, _ text: Substring) -> Bool {
        [RequestKind.authorization, .token, .refresh].contains { kind in
            guard let parameter = kind.parameter(name), parameter.rule != .settable else { return false }
            return !parameter.name.isPlain(text)
        }
    }
}
