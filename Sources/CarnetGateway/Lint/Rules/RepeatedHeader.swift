import CarnetDescriptors
import HTTPTypes

struct RepeatedHeader: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G005",
        name: "repeated-header",
        summary: "The identity token has the header of another value.",
        rationale: """
            The names of headers have no case. If two values are in one header, the program behind the proxy cannot know \
            which of them it reads.
            """,
        references: ["RFC 9110, section 5.1"],
        bad: ["headers: { X-Auth-Token: \"{account.subject}\" }\nidentity_token: { header: ⟦x-auth-token⟧ }\n"],
        good: ["headers: { X-Auth-User: \"{account.subject}\" }\nidentity_token: { lifetime: 60 }\n"]
    )

    func check(_ context: GatewayContext) -> [Diagnostic] {
        guard let token = context.rules.identityToken,
            let header = context.rules.headers.all.first(where: { $0.name == token.header })
        else { return [] }
        return [
            finding(
                "the header \(token.header.rawName) has another value", context,
                at: token.node.entry("header")?.value.span ?? header.span, help: "choose another name",
                related: [context.related("it is here", at: header.span)])
        ]
    }
}
