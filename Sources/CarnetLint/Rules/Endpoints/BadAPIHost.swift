import CarnetDescriptors
import CarnetFoundation

struct BadAPIHost: LintRule {
    let explanation = DiagnosticExplanation(
        "E010", name: "bad-api-host", summary: "An element of api.hosts is not a host name.",
        rationale: """
            Carnet sends the access token to these hosts and to those of the resources, and to no other host. The \
            meaning of a scheme, a path or a wildcard in this list would be a guess, and a wrong guess leaks a token.
            """,
        references: ["RFC 6750, section 5.3"],
        bad: "api: { hosts: [⟦'https://api.acme.example'⟧, ⟦api.acme.example/v1⟧, ⟦'*.acme.example'⟧] }",
        good: "inputs: { region: {} }\napi: { hosts: [api.acme.example, '{region}.acme.example', 'localhost:8080'] }")

    func check(_ context: LintContext) -> [Diagnostic] {
        context.places.api.hosts.elements.compactMap { element in
            guard let text = element.scalar?.text else { return nil }
            let url = DescriptorURL(node: element, source: "https://" + text)
            let isHost = url.authority.endIndex == url.source.endIndex && url.userInformation == nil
            if isHost, (try? WebURL(url.filled)) != nil { return nil }
            return finding(
                "\"\(text)\" is not a host name", in: context, at: element.span,
                help: "write only the host, such as api.acme.example, and list each host")
        }
    }
}
