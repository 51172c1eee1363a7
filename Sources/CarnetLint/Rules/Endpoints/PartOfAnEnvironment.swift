import CarnetDescriptors
import CarnetFoundation

struct PartOfAnEnvironment: LintRule {
    let explanation = DiagnosticExplanation(
        "E042", name: "part-of-an-environment", severity: .warning,
        summary: "An environment replaces some URLs of a host, and leaves others.",
        rationale: """
            An environment is a separate installation of the provider. A URL that it does not replace is the \
            production's: the tokens of a sandbox would go to the production's servers, which reject them. Replace the \
            other URLs too. An input for the host replaces all of them at once: 'inputs: { api: { default: \
            api.acme.example } }', with another default in the environment.
            """,
        references: ["RFC 6750, section 5.3"],
        bad: """
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
              userinfo: https://id.acme.example/me
            environments:
              sandbox: { ⟦endpoints⟧: { token: https://id.sandbox.example/token } }
            """,
        good: """
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
              userinfo: https://api.acme.example/me
            environments:
              sandbox:
                endpoints: { authorization: https://id.sandbox.example/a, token: https://id.sandbox.example/t }

            inputs: { host: { type: hostname, default: id.acme.example } }
            endpoints:
              authorization: https://{host}/authorize
              token: https://{host}/token
            environments:
              sandbox: { inputs: { host: { default: id.sandbox.example } } }
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        guard !context.variants.isEmpty else { return [] }
        let hosts = Dictionary(context.urls.map { ($0.name, $0.host) }) { first, _ in first }
        return context.variants.compactMap { variant in
            guard let name = variant.descriptor.environment,
                let environment = context.places.environments.entries.first(where: { $0.key == name })
            else { return nil }
            let urls = variant.urls.filter { !$0.host.isEmpty }
            let replaced = Set(urls.compactMap { url in hosts[url.name].flatMap { $0 == url.host ? nil : $0 } })
            let left = urls.filter { hosts[$0.name] == $0.host && replaced.contains($0.host) }
            guard let first = left.first else { return nil }
            let names = left.map(\.name).joined(separator: ", ")
            let section = environment.value.entries?.first { $0.key == "endpoints" }
            return finding(
                "the environment \"\(name)\" replaces other URLs of \(first.host), but not \(names)", in: context,
                at: (section ?? environment).keySpan, help: "replace \(left.count == 1 ? "it" : "them") too")
        }
    }
}
