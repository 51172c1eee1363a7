import CarnetDescriptors
import CarnetFoundation

struct HostWithoutTLS: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G019", name: "host-without-tls",
        summary: "Nobody can sign in at a host, because the origin has no TLS and the host needs it.",
        rationale: """
            Cookies of a session go over http only to this machine itself: to localhost, 127.0.0.1 and other addresses that \
            begin with 127. For every other name, also one below localhost, a system may ask a name server, whose response \
            somebody in the network can forge.
            """,
        references: ["RFC 6761, section 6.3"],
        bad: ["origin: http://127.0.0.1:8080\nroutes: [{ host: ⟦wiki.localhost⟧, allow: signed_in }]\n"],
        good: [
            "origin: http://127.0.0.1:8080\nroutes: [{ host: 127.0.0.2, allow: signed_in }]\n",
            "origin: https://apps.example\nroutes: [{ host: wiki.apps.example, allow: signed_in }]\n",
        ]
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        guard context.rules.origin.scheme == "http" else { return [] }
        return context.rules.routes.flatMap { route -> [GatewayFinding] in
            if case .anyone = route.allow { return [] }
            return route.node.values(of: "host").compactMap { node in
                guard let host = node.scalar?.text, !HostName(host).needsNoTLS else { return nil }
                return GatewayFinding(
                    "nobody can sign in at \(host) over http", at: node.span,
                    help: "write an origin with https, or for a try a host such as 127.0.0.2")
            }
        }
    }
}
