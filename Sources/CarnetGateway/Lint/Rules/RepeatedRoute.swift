import CarnetDescriptors

struct RepeatedRoute: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G002", name: "repeated-route",
        summary: "Two routes decide about the same requests.",
        rationale: """
            The most specific route decides, and the order of the file has no meaning. Two routes with the same host, path \
            and method are equally specific, so none of them can decide. A slash at the end of a path and the name of a \
            parameter make no difference.
            """,
        bad: [
            """
            routes:
              - { path: /admin, allow: { email_domain: example.com } }
              - ⟦{ path: /admin/, allow: signed_in }⟧

            """,
            """
            routes:
              - { path: "/users/{id}", methods: [GET, PUT], allow: signed_in }
              - ⟦{ path: "/users/{name}", methods: PUT, allow: { email: anna@example.com } }⟧

            """,
        ],
        good: [
            """
            routes:
              - { path: /admin, methods: POST, allow: { email_domain: example.com } }
              - { path: /admin, allow: signed_in }

            """
        ]
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        var found: [GatewayFinding] = []
        var seen: Set<SourceSpan> = []
        _ = GatewayTable(context.rules) { later, earlier in
            guard seen.insert(later.span).inserted else { return }
            found.append(
                GatewayFinding(
                    "an earlier route decides about the same requests", at: later.span,
                    help: "join the two into one route", related: ("it is here", earlier.span)))
        }
        return found
    }
}
