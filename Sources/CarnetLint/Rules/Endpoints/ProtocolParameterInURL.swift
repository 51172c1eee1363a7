import CarnetDescriptors

struct ProtocolParameterInURL: LintRule {
    let explanation = DiagnosticExplanation(
        code: "E005",
        name: "protocol-parameter-in-url",
        summary: "The query of an endpoint sets a protocol parameter.",
        rationale: """
            Carnet keeps the query of an endpoint. A protocol parameter in it would be sent twice, and servers differ \
            on which value they use. RFC 6749 forbids repeated parameters.
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
                    "the query of \(url.name) sets the protocol parameter \"\(parameter.name)\"",
                    in: context,
                    at: context.span(of: parameter.text, in: url.node),
                    help: "remove it; Carnet sends the protocol parameters itself"
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
