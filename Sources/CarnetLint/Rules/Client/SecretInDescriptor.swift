import CarnetDescriptors

struct SecretInDescriptor: SingleValueRule {
    let explanation = RuleExplanation(
        code: "C011",
        name: "secret-in-descriptor",
        summary: "A value in the file looks like a secret.",
        rationale: """
            A descriptor is shared by everyone who uses the provider and lies in version control. Secrets belong to a \
            client's registration, which comes from the host's configuration or the environment. A secret that was \
            committed is to be replaced, not only removed.
            """,
        references: ["RFC 6749, section 2.3.1", "RFC 9700, section 2.5"],
        bad: [
            "token: { parameters: { api_key: ⟦51H8x9QdKp2Lm7⟧ } }\n",
            "profile: { headers: { X-Acme-Secret: ⟦hunter2hunter2⟧ } }\n",
            "inputs: { client_password: { default: ⟦hunter2⟧, type: text } }\nauthorization: { parameters: { p: '{client_password}' } }\n",
            "notes: [{ about: id, because: ⟦tested with eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJlc2ln⟧ }]\n",
        ],
        good: [
            "token: { parameters: { api_key: '{api_key}' } }\ninputs: { api_key: { type: text } }\n",
            "docs: https://acme.example/docs/api_key\n",
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        var found: [Diagnostic] = []
        for entry in context.root.entries ?? [] where entry.key != "samples" {
            visit(entry.value, Place(section: entry.key, key: entry.key), context, &found)
        }
        return found
    }

    /// The keys that lead to a value, as far as they count.
    private struct Place {
        var section: String
        /// The key of the mapping that the value is in.
        var kind: String?
        var key: String

        /// Whether a scalar here is sent somewhere, rather than being a word of the descriptor language.
        var holdsValue: Bool {
            switch kind {
            case nil: false
            case "parameters", "offline_parameters", "reconsent_parameters", "headers": true
            default: section == "inputs" && ["default", "example"].contains(key)
            }
        }

        var hasSecretName: Bool { SecretText.isSecretName(key) || kind.map(SecretText.isSecretName) ?? false }
    }

    private func visit(_ node: YAMLNode, _ place: Place, _ context: LintContext, _ found: inout [Diagnostic]) {
        switch node.content {
        case .mapping(let entries):
            for entry in entries {
                let inner = Place(section: place.section, kind: place.key, key: entry.key)
                visit(entry.value, inner, context, &found)
            }
        case .sequence(let elements):
            for element in elements { visit(element, place, context, &found) }
        case .scalar(let scalar) where scalar.text.utf8.count < Self.shortestSecret: break
        case .scalar(let scalar):
            let isNamed = place.holdsValue && isLiteral(scalar) && place.hasSecretName
            guard isNamed || SecretText.isCredential(scalar.text), !SecretText.isRedacted(scalar.text) else { return }
            found.append(
                finding(
                    "this looks like a secret",
                    in: context,
                    at: node.span,
                    help: "take it out, declare an input or a client secret for it, and replace it at the provider"
                )
            )
        }
    }

    private func isLiteral(_ scalar: YAMLScalar) -> Bool {
        !scalar.text.utf8.contains(UInt8(ascii: "{")) && scalar.boolean == nil
    }

    private static let shortestSecret = 6
}
