import CarnetDescriptors
import CarnetFoundation

struct SecretInDescriptor: SingleValueRule {
    static let code = "C011"

    let explanation = DiagnosticExplanation(
        Self.code, name: "secret-in-descriptor", summary: "A value in the file looks like a secret.",
        rationale: """
            Everyone who uses the provider has the descriptor, and it is in version control. Secrets belong in the \
            client registration, which comes from the host's configuration or the environment. Replace a secret that \
            was committed; deleting it is not enough.
            """,
        references: ["RFC 6749, section 2.3.1", "RFC 9700, section 2.5"],
        bad: [
            "token: { parameters: { api_key: ⟦51H8x9QdKp2Lm7⟧ } }",
            "profile: { headers: { X-Acme-Secret: ⟦hunter2hunter2⟧ } }",
            "inputs: { client_password: { default: ⟦hunter2⟧, type: text } }\nauthorization: { parameters: { p: '{client_password}' } }",
            "notes: [{ about: id, because: ⟦tested with eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJlc2ln⟧ }]",
        ],
        good: [
            "token: { parameters: { api_key: '{api_key}' } }\ninputs: { api_key: { type: text } }",
            "docs: https://acme.example/docs/api_key",
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        var found: [Diagnostic] = []
        for entry in context.root.entries ?? [] where entry.key != "samples" {
            visit(
                entry.value.content, entry.value.span, in: nil, at: entry.key, isSent: false,
                isInput: entry.key == "inputs", context, &found)
        }
        return found
    }

    // Content and span instead of the node, which would be copied.

    /// - Parameters:
    ///   - kind: The key of the mapping that the value is in.
    ///   - key: Its own key, or that of the list that it is in.
    ///   - isSent: Whether it is sent somewhere, rather than being a word of the descriptor language.
    private func visit(
        _ content: YAMLNode.Content, _ span: SourceSpan, in kind: String?, at key: String, isSent: Bool, isInput: Bool,
        _ context: LintContext, _ found: inout [Diagnostic]
    ) {
        switch content {
        case .mapping(let entries):
            let areSent = Self.sentMappings.contains(key)
            for index in entries.indices {
                let own = entries[index].key
                let isSent = areSent || isInput && (own == "default" || own == "example")
                visit(
                    entries[index].value.content, entries[index].value.span, in: key, at: own, isSent: isSent,
                    isInput: isInput, context, &found)
            }
        case .sequence(let elements):
            for index in elements.indices {
                visit(
                    elements[index].content, elements[index].span, in: kind, at: key, isSent: isSent, isInput: isInput,
                    context, &found)
            }
        case .scalar(let scalar) where scalar.text.utf8.count < Self.shortestSecret: break
        case .scalar(let scalar):
            let isNamed =
                isSent && isLiteral(scalar)
                && (SecretText.isSecretName(key) || kind.map(SecretText.isSecretName) ?? false)
            guard isNamed || SecretText.isCredential(scalar.text), !SecretText.isRedacted(scalar.text) else { return }
            found += findings(
                "this looks like a secret", in: context, at: span,
                help: isInput
                    ? "write a word such as redacted-key; if it was a real one, replace it at the provider"
                    : "remove it, declare an input or use the client secret, and replace the secret at the provider")
        }
    }

    private func isLiteral(_ scalar: YAMLScalar) -> Bool {
        !scalar.text.holds(UInt8(ascii: "{")) && scalar.boolean == nil
    }

    private static let shortestSecret = 6
    private static let sentMappings = ["parameters", "offline_parameters", "reconsent_parameters", "headers"]
}
