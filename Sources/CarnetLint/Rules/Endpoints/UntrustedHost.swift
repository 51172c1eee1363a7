import CarnetDescriptors
import CarnetFoundation

struct UntrustedHost: LintRule {
    let explanation = DiagnosticExplanation(
        "E030", name: "untrusted-host",
        summary: "The host of a URL is only known at run time, and 'trusted_hosts' is empty.",
        rationale: """
            Anybody can send a callback. Its values must not choose the host that receives a code, a client secret or \
            a token. Carnet requests such a URL only if its host is in trusted_hosts, or comes from a table in \
            tables.
            """,
        references: ["RFC 9700, section 4.4", "CWE-918"],
        bad: """
            token: { response: { capture: { instance_url: /instance_url } } }
            api: { base_url: ⟦'{token.instance_url}'⟧ }

            callback: { capture: { shop: { pattern: '.+', example: my.shop.example } } }
            endpoints: { authorization: https://acme.example/authorize, token: ⟦'https://{callback.shop}/token'⟧ }
            """,
        good: """
            token: { response: { capture: { instance_url: { from: /instance_url, example: 'https://eu.my.acme.example' } } } }
            api: { base_url: '{token.instance_url}' }
            trusted_hosts: ['*.my.acme.example']

            callback: { capture: { region: { pattern: '[a-z]+', example: eu } } }
            tables: { hosts: { eu: id.eu.acme.example } }
            endpoints:
              authorization: https://acme.example/authorize
              token: "https://{map(callback.region, 'hosts')|id.acme.example}/token"

            api: { base_url: https://api.acme.example }
            connection:
              lookups:
                company: { url: /companies, value: /id, sample: { id: 7 } }
                site: { url: '/companies/{connection.company}/site', value: /id, sample: { id: 8 } }
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        guard context.descriptor.trustedHosts.isEmpty else { return [] }
        // A path below the base URL has the host of the base URL, which is checked separately.
        let hasBase = context.descriptor.api.baseURL != nil
        return context.templateUses.filter { use in
            use.isURL && !use.template.fixesHost && !(hasBase && use.template.source.hasPrefix("/"))
        }.map { use in
            finding(
                "the host of this URL is only known at run time", in: context, at: use.node.span,
                help: "list the hosts, such as trusted_hosts: ['*.acme.example'], or use a table in tables")
        }
    }
}
