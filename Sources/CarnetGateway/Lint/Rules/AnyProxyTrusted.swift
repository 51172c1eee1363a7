import CarnetDescriptors

struct AnyProxyTrusted: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G013", name: "any-proxy-trusted",
        summary: "Every address may ask for decisions, without a secret.",
        rationale: """
            A program that can reach the gateway could describe any request in the headers of a proxy. List the addresses \
            of the proxies, or share a secret with them.
            """,
        bad: ["proxy: { trusted: [192.0.2.0/24, ⟦0.0.0.0/0⟧] }\n", "proxy: { trusted: ⟦\"::/0\"⟧ }\n"],
        good: ["proxy: { trusted: 0.0.0.0/0, secret_env: PROXY_SECRET }\n", "proxy: { trusted: 10.0.0.0/8 }\n"]
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        guard context.rules.proxy.secret == nil else { return [] }
        return (context.node("proxy")?.values(of: "trusted") ?? []).filter { node in
            node.scalar.flatMap { AddressRange($0.text) }?.isEverything ?? false
        }.map { GatewayFinding("every address is trusted", at: $0.span, help: "add secret_env, or name the proxies") }
    }
}
