import CarnetDescriptors
import CarnetFoundation

struct MalformedURL: LintRule {
    let explanation = DiagnosticExplanation(
        "E007", name: "malformed-url", summary: "A URL is invalid for every value of its inputs.",
        rationale: """
            Carnet requests only URLs of printable ASCII, as RFC 3986 defines them. Write a host name with other \
            letters in its 'xn--' form, and percent-encode other characters. A value with a scheme of its own cannot \
            follow a scheme in the template.
            """,
        references: ["RFC 3986, section 2", "RFC 5890, section 2.3.2.1"],
        bad: [
            "issuer: ⟦https://id.acme.example/my realm⟧",
            "issuer: ⟦https://id.äcme.example⟧",
            "issuer: ⟦https://id.acme.example:https⟧",
            "issuer: ⟦https://⟧",
            "issuer: https://id.acme.example\nendpoints: { token: ⟦'{issuer}/to ken'⟧ }",
            """
            token: { response: { capture: { instance: { from: /instance, example: 'https://eu.acme.example' } } } }
            api: { base_url: ⟦'https://{token.instance}/v1'⟧ }
            trusted_hosts: ['*.acme.example']

            token: { response: { capture: { instance: { from: /instance, example: eu.acme.example } } } }
            api: { base_url: ⟦'{token.instance}/v1'⟧ }
            trusted_hosts: ['*.acme.example']
            """,
        ],
        good: [
            "inputs: { port: { example: '8443' } }\nissuer: https://id.xn--cme-pla.example:{port}/my%20realm",
            """
            token: { response: { capture: { instance: { from: /instance, example: eu.acme.example } } } }
            api: { base_url: 'https://{token.instance}/v1' }
            trusted_hosts: ['*.acme.example']
            """,
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        context.urls.compactMap { url in
            if let message = badExample(url, context) {
                return finding(message.0, in: context, at: url.node.span, help: message.1)
            }
            // What other rules say more exactly.
            guard url.scheme != nil || url.continuesIssuer, url.userInformation == nil, url.fragment == nil
            else { return nil }
            do throws(WebURLError) {
                let isOrdinary = url.continuesIssuer || url.scheme == "https"
                let filled = url.filled
                try WebURL.check(isOrdinary ? filled : "https" + filled.dropFirst(url.scheme?.utf8.count ?? 0))
                return nil
            } catch {
                let text = url.node.scalar?.text ?? ""
                let isShell = ["${", "$(", "#{", "%"].contains { text.contains($0) }
                return isShell
                    ? finding(
                        "\(url.name): \"\(text)\" has a variable of another program", in: context, at: url.node.span,
                        help: "a descriptor has inputs: write {NAME}, and declare inputs: { NAME: {} }")
                    : finding(
                        "\(url.name): \(error.reason)", in: context, at: url.node.span, help: text.adviceOnCurlyQuotes)
            }
        }
    }

    /// A value whose example shows that it has a scheme where the template has one too, or that neither has.
    private func badExample(_ url: DescriptorURL, _ context: LintContext) -> (String, String)? {
        guard let start = url.template?.firstValue, let example = context.example(of: start.value),
            !example.hasPrefix("/"),
            example.contains("://") == start.followsScheme
        else { return nil }
        let shown = "\(url.name): the example of \(start.value), \"\(example)\","
        return start.followsScheme
            ? ("\(shown) has a scheme, and the template has one too", "start the template with {\(start.value)}")
            : ("\(shown) has no scheme, and neither has the template", "write https://{\(start.value)}")
    }
}

extension LintContext {
    /// What the descriptor shows a value of the sign-in to be, by an example or a sample.
    fileprivate func example(of value: TemplateReference) -> String? {
        func found(_ captures: NamedList<ResponseCapture>, in sample: JSONValue?) -> String? {
            captures[value.name].flatMap { sample?.firstStated(of: $0.pointers.pointers)?.scalarText ?? $0.example }
        }
        switch value.origin {
        case .callback:
            return descriptor.callback.capture[value.name].map {
                Named(value.name, $0).example(in: descriptor.samples)
            }
        case .token: return found(descriptor.token.response.capture, in: descriptor.samples.token)
        case .step:
            return descriptor.exchange.items.lazy.compactMap { found($0.value.capture, in: $0.value.sample) }.first
        case .connection:
            guard let lookup = descriptor.connection.lookups[value.name] else { return nil }
            return lookup.sample.candidates(at: lookup.root)?.first?.firstStated(of: lookup.value.pointers)?.scalarText
        case .input, .client, .claim, .request: return nil
        }
    }
}
