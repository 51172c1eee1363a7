import CarnetDescriptors

struct TokenWithoutSecret: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G025", name: "token-without-secret",
        summary: "Anybody at an address of a proxy can ask for the token of a person.",
        rationale: """
            A response to the proxy has the token of the person whose cookie the question has. Without proxy.secret, every process \
            at an address of proxy.trusted, by default of this machine, counts as the proxy: also a program behind it that \
            received the cookie. The gateway does not start with such a file. If only the proxy reaches the gateway, because it \
            listens at a socket, say so in a comment that silences this rule.
            """,
        references: ["RFC 9700, section 4.9"],
        bad: ["routes: [{ allow: signed_in, ⟦token⟧: access }]\n"],
        good: ["proxy: { secret_env: PROXY_SECRET }\nroutes: [{ allow: signed_in, token: access }]\n"]
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        guard context.rules.proxy.secret == nil,
            let key = context.rules.routes.lazy.compactMap({ $0.node.entry("token") }).first
        else { return [] }
        return [
            GatewayFinding(
                "every process at an address of a proxy can ask for the token", at: key.keySpan,
                help: "add proxy: { secret_file: FILE }; with --socket, say so: # carnet-lint-disable G025: REASON")
        ]
    }
}
