import CarnetDescriptors
import CarnetFoundation

struct InputMovesURL: LintRule {
    let explanation = DiagnosticExplanation(
        "K104", name: "input-moves-url", summary: "The value of an input could move a URL to another host.",
        rationale: """
            The person who enters the value would receive codes and secrets. A value of type text can contain a slash, a \
            question mark or an @, so it needs urlencode, in a path or query. A value of type host_path can contain a path, \
            so it is the whole host. A value of type identifier can contain a dot: behind it, the URL names the rest of the \
            host, unless enum or pattern limits the value. A server that registers clients chooses the client id, so an \
            input that has it by default is no part of a host.
            """,
        references: ["RFC 3986, section 3.2", "RFC 3986, section 7.6"],
        bad: [
            "inputs: { tenant: { type: text } }\nissuer: https://id.acme.example/⟦{tenant}⟧",
            "inputs: { shop: { type: host_path } }\nissuer: https://⟦{shop}⟧.shops.example",
            "inputs: { country: {} }\nissuer: https://id.acme.⟦{country}⟧",
            "inputs: { shop: { type: text } }\nissuer: https://id.acme.example\napi: { hosts: ['⟦{shop}⟧.acme.example'] }",
            "inputs: { app: { default: '{client.id}' } }\nissuer: https://⟦{app}⟧.acme.example",
        ],
        good: [
            "inputs: { tenant: { type: identifier } }\nissuer: https://id.acme.example/{tenant}",
            "inputs: { site: { type: host_path } }\nissuer: https://{site}/oauth",
            "inputs: { app: { default: '{client.id}' } }\nissuer: https://id.acme.example/{app}",
            "inputs: { country: { enum: [nl, co.uk] } }\nissuer: https://id.acme.{country}",
            "inputs: { audience: { type: text } }\nauthorization: { parameters: { audience: '{audience}' } }",
            """
            inputs: { site: { type: text } }
            issuer: https://id.acme.example
            endpoints: { userinfo: "https://id.acme.example/{urlencode(input.site)}" }
            """,
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        let inputs = context.descriptor.inputs
        guard !inputs.isEmpty else { return [] }
        // An input of a wrong type is one mistake, wherever it is used.
        var reported = Set<String>()
        return context.templateUses.filter(\.isURL).compactMap { use in
            let refusal = use.template.refusal(
                ofInputs: inputs, issuer: context.descriptor.issuer, isAuthority: use.isHost)
            // What `{issuer}` stands for is reported at the issuer.
            guard let refusal, use.inputNames.contains(refusal.input),
                reported.insert("\(refusal.input) \(refusal.reason)").inserted
            else { return nil }
            return finding(
                "the input \"\(refusal.input)\" \(refusal.reason)", in: context,
                at: context.span(of: use.place(of: refusal.input), in: use.node), help: refusal.help,
                related: [context.related("declared here", at: context.places.inputs[refusal.input].keySpan)])
        }
    }
}
