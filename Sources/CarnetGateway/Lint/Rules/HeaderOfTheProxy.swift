import CarnetDescriptors
import HTTPTypes

struct HeaderOfTheProxy: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G030",
        name: "header-of-the-proxy",
        severity: .warning,
        summary: "A header for the program has a name that proxies use themselves.",
        rationale: """
            The generated configurations set or remove this header, so carnet gateway proxy refuses the file. With another \
            configuration, the program may take the value for a fact about the request, such as the client's address.
            """,
        bad: [
            "headers: { ⟦X-Real-IP⟧: \"{account.id}\" }\n",
            "headers: { ⟦User-Agent⟧: \"{account.id}\" }\n",
            "identity_token: { header: ⟦X-Client-Cert⟧ }\n",
        ],
        good: ["headers: { X-Auth-User: \"{account.id}\", X-Forwarded-User: \"{account.id}\" }\n"]
    )

    func check(_ context: GatewayContext) -> [Diagnostic] {
        let rules = context.rules
        var named: [(name: HTTPField.Name, span: SourceSpan)] = rules.headers.all.map { (name: $0.name, span: $0.span) }
        if let token = rules.identityToken, let header = token.node.entry("header") {
            named.append((token.header, header.value.span))
        }
        for route in rules.routes {
            guard let header = route.node.node(at: ["token", "header"]), let token = route.token else { continue }
            named.append((token.header, header.span))
        }
        return named.filter { RemovedHeaders.reserves($0.name.rawName) }.map {
            finding(
                "a proxy needs the header \($0.name.rawName) for itself", context, at: $0.span,
                help: "choose another name, such as X-Auth-User")
        }
    }
}
