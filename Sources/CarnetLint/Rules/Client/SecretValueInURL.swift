import CarnetDescriptors
import CarnetFoundation

struct SecretValueInURL: LintRule {
    let explanation = DiagnosticExplanation(
        "C020", name: "secret-value-in-url", severity: .warning,
        summary: "A template puts a secret into the query of a URL.",
        rationale: """
            Servers and proxies log URLs. Send the secret in the body of a request. Few providers accept it only in \
            the URL. If this one does, write a note about the key with the reason. A hash of a secret does not show it.
            """,
        references: ["RFC 6749, section 2.3.1", "RFC 6750, section 2.3"],
        bad: """
            exchange:
              long:
                url: https://api.acme.example/exchange
                method: GET
                parameters: { token: ⟦'{token.access_token}'⟧ }

            inputs: { key: { type: text, secret: true } }
            api: { parameters: { api_key: ⟦'{key}'⟧ } }

            inputs: { key: { type: text, secret: true } }
            connection:
              on_connect:
                - { url: https://id.acme.example/hi, method: POST, body: query, parameters: { key: ⟦'{key}'⟧ } }

            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
              revocation: ⟦'https://acme.example/tokens/{urlencode(token.refresh_token)}'⟧
            """,
        good: """
            inputs: { key: { type: text, secret: true } }
            api: { headers: { X-Api-Key: '{key}' } }

            exchange:
              long:
                url: https://api.acme.example/exchange
                parameters: { token: '{token.access_token}', secret: '{client.secret}' }

            profile: { parameters: { proof: '{hmac_sha256(client.secret, token.access_token)}' } }
            """)

    let isReminder = true

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        var queried = context.places.api.parameters.entries
        for step in descriptor.exchange.items {
            let request = step.value.request
            let isQueried = request.method == .get || request.body == .query
            queried += context.places.exchange[step.name].request.parameters.entries
                .filter { isQueried || request.queryParameters.contains($0.key) }
        }
        if descriptor.profile.request.method != .post { queried += context.places.profile.request.parameters.entries }
        if let url = context.places.endpoints.entries.first(where: { $0.key == EndpointName.revocation.rawValue }) {
            queried.append(url)
        }
        for call in context.calls where call.rules.encoding == .query {
            queried += call.place.parameters.entries
        }
        guard !queried.isEmpty else { return [] }
        let marked = descriptor.markedSecrets
        let inputs = Set(descriptor.inputs.items.filter(\.value.isSecret).map(\.name))
        return queried.compactMap { entry in
            guard let text = entry.value.scalar?.text, text.holds(UInt8(ascii: "{")),
                let template = try? Template(text, in: .anywhere),
                template.shows(where: { $0.origin == .input ? inputs.contains($0.name) : marked.contains($0) })
            else { return nil }
            return finding(
                "\"\(entry.key)\" puts a secret into the URL", in: context, at: entry.value.span,
                help: "use POST with a body, if the provider accepts it")
        }
    }
}

extension Template {
    /// Whether a reader of the filled text sees a secret. Nobody computes a secret from its hash.
    func shows(where isMarked: (TemplateReference) -> Bool = { _ in false }) -> Bool {
        let inputs = plainInputNames.map { TemplateReference(.input, $0) }
        return inputs.contains(where: isMarked) || expressions.contains { $0.shows(where: isMarked) }
    }
}

extension TemplateExpression {
    fileprivate func shows(where isMarked: (TemplateReference) -> Bool) -> Bool {
        switch self {
        case .value(let reference): reference.isAlwaysSecret || isMarked(reference)
        case .sha256, .hmacSHA256, .claim, .mapped: false
        default: operands.contains { $0.shows(where: isMarked) }
        }
    }
}
