import CarnetDescriptors

struct HostOfRequestLine: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G022", name: "host-of-request-line",
        summary: "The proxy may serve another host than it asks about.",
        rationale: """
            With an absolute request line, the host of the line replaces the field Host (RFC 9112, section 3.2.2). nginx \
            chooses its server by the line, but X-Original-URL usually has the field ($http_host). Then a client gets the \
            page of one host by the rules of another. Let the proxy refuse such a request, in nginx with \
            if ($http_host != $host) { return 421; }, and state it in same_host. The generated configurations use the \
            other dialect.
            """,
        references: ["RFC 9112, section 3.2.2"],
        bad: ["proxy: { dialect: ⟦original⟧ }\n"],
        good: ["proxy: { dialect: original, same_host: nginx returns 421 if $http_host is not $host }\n"]
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        guard context.rules.proxy.dialect == .original, context.rules.proxy.sameHost == nil,
            let written = context.node("proxy", "dialect")
        else { return [] }
        return [
            GatewayFinding(
                "nothing states that the proxy compares the host of the request line", at: written.span,
                help: "add same_host: REASON, or remove the key for the default dialect")
        ]
    }
}
