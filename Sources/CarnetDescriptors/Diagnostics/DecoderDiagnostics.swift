/// The pages of what the decoder finds: keys and values that the language does not have.
package enum DecoderDiagnostics {
    package static let all: [DiagnosticExplanation] = DecoderRule.allCases.map(\.explanation)
}

extension DecoderRule {
    /// A good descriptor, to which an example adds what it is about.
    private static let start = "carnet: 1\nid: acme\nname: Acme\nissuer: https://id.acme.example\n"

    var explanation: DiagnosticExplanation {
        switch self {
        case .unknownKey:
            DiagnosticExplanation(
                code: rawValue, name: "unknown-key", summary: "The descriptor language does not have this key.",
                rationale: """
                    An unknown key may be a misspelled one, and the provider may need its value. Carnet refuses the \
                    file: a host cannot use the descriptor, and the command skips it with a warning. The author finds \
                    the mistake before the first sign-in.
                    """,
                fix: .unsafe,
                bad: [Self.start + "⟦scope⟧: { default: [openid] }\n"],
                good: [Self.start + "scopes: { default: [openid] }\n"]
            )
        case .wrongType:
            DiagnosticExplanation(
                code: rawValue, name: "wrong-type", summary: "The value has another type than the key takes.",
                rationale: """
                    In YAML, unquoted true, 12 and null are not strings, and a list is not the string of its only \
                    element. Put a string that looks like a number between quotes.
                    """,
                fix: .unsafe, references: ["YAML 1.2.2, section 10.3.2"],
                bad: [Self.start + "scopes: { default: ⟦openid⟧ }\n"],
                good: [Self.start + "scopes: { default: [openid] }\n"]
            )
        case .missingKey:
            DiagnosticExplanation(
                code: rawValue, name: "missing-key", summary: "A required key is missing.",
                rationale: """
                    The key has no default. Without it, Carnet cannot select, call or show the provider.
                    """,
                fix: .unsafe,
                bad: ["⟦carnet⟧: 1\nid: acme\nissuer: https://id.acme.example\n"],
                good: [Self.start]
            )
        case .valueNotAllowed:
            DiagnosticExplanation(
                code: rawValue, name: "value-not-allowed", summary: "The key does not allow this value.",
                rationale: """
                    The lists of allowed values are closed, so that the linter finds a misspelled value before the \
                    provider does.
                    """,
                bad: [Self.start + "token: { body: ⟦jsn⟧ }\n"],
                good: [Self.start + "token: { body: json }\n"]
            )
        case .badTemplate:
            DiagnosticExplanation(
                code: rawValue, name: "bad-template",
                summary: "A template has an unbalanced brace, or uses a value that is not available in this key.",
                rationale: """
                    Braces stand for an input. In some keys they also stand for a value of the callback, a response \
                    or a lookup. A template cannot use a value that is still unknown when Carnet fills the template, \
                    nor a secret in a URL. To write braces as characters, put them between quotes in a function: \
                    {join('', '{ me { id } }')}.
                    """,
                bad: [
                    Self.start + "endpoints: { token: ⟦\"https://{tenant.acme.example/token\"⟧ }\n",
                    Self.start + "endpoints: { authorization: ⟦\"https://{token.host}/authorize\"⟧ }\n",
                    Self.start + "token: { parameters: { a: ⟦\"{sha25(client.secret)}\"⟧ } }\n",
                ],
                good: [
                    Self.start
                        + "inputs: { tenant: {} }\nendpoints: { token: \"https://{tenant}.acme.example/token\" }\n"
                ]
            )
        case .badPointer:
            DiagnosticExplanation(
                code: rawValue, name: "bad-pointer", summary: "The value is not a JSON Pointer.",
                rationale: """
                    A JSON Pointer names exactly one place in a response. A dotted path is ambiguous, because names \
                    can contain dots.
                    """,
                references: ["RFC 6901, section 3"],
                bad: [Self.start + "profile: { claims: { name: ⟦user.name⟧ } }\n"],
                good: [Self.start + "profile: { claims: { name: /user/name } }\n"]
            )
        case .missingReason:
            DiagnosticExplanation(
                code: rawValue, name: "protection-off-without-reason",
                summary: "The descriptor turns off a protection without giving a reason.",
                rationale: """
                    PKCE and the nonce protect against stolen and injected codes. Some providers cannot have one of \
                    them, but authors also turn one off just to make an error disappear. The reason shows the next \
                    reader which case it is.
                    """,
                references: ["RFC 9700, section 2.1.1", "OpenID Connect Core 1.0, section 15.5.2"],
                bad: [Self.start + "authorization: { pkce: ⟦none⟧ }\n"],
                good: [Self.start + "authorization: { pkce: required }\n"]
            )
        case .emptyValue:
            DiagnosticExplanation(
                code: rawValue, name: "empty-value", summary: "The string is empty.",
                rationale: """
                    An empty string has no meaning in a descriptor. Leave the key out to get its default.
                    """,
                bad: [Self.start + "docs: ⟦\"\"⟧\n"],
                good: [Self.start]
            )
        }
    }
}
