/// The pages of what the decoder finds: keys and values that the language does not have.
package enum DecoderRules {
    package static let all: [RuleExplanation] = DecoderRule.allCases.map(\.explanation)
}

extension DecoderRule {
    /// A good descriptor, to which an example adds what it is about.
    private static let start = "carnet: 1\nid: acme\nname: Acme\nissuer: https://id.acme.example\n"

    var explanation: RuleExplanation {
        switch self {
        case .unknownKey:
            RuleExplanation(
                code: rawValue,
                name: "unknown-key",
                summary: "The key is not one of the language.",
                rationale: """
                    A key that nothing reads looks as if it worked: the provider behaves as if the line were not there, and \
                    nobody finds out before the first sign-in.
                    """,
                fix: .unsafe,
                bad: [Self.start + "⟦scope⟧: { default: [openid] }\n"],
                good: [Self.start + "scopes: { default: [openid] }\n"]
            )
        case .wrongType:
            RuleExplanation(
                code: rawValue,
                name: "wrong-type",
                summary: "The value is of another kind than the key takes.",
                rationale: """
                    YAML gives unquoted true, 12 and null a meaning of their own, and a list is not the text that names one \
                    element. Where a text is wanted that looks like a number, put it between quotes.
                    """,
                references: ["YAML 1.2.2, section 10.3.2"],
                bad: [Self.start + "scopes: { default: ⟦openid⟧ }\n"],
                good: [Self.start + "scopes: { default: [openid] }\n"]
            )
        case .missingKey:
            RuleExplanation(
                code: rawValue,
                name: "missing-key",
                summary: "A key that the mapping must have is not there.",
                rationale: "Without it there is nothing to select, call or show.",
                bad: ["⟦carnet⟧: 1\nid: acme\nissuer: https://id.acme.example\n"],
                good: [Self.start]
            )
        case .valueNotAllowed:
            RuleExplanation(
                code: rawValue,
                name: "value-not-allowed",
                summary: "The value is not one of those that the key takes.",
                rationale: "Closed lists are closed so that a misspelled word is found here and not at the provider.",
                bad: [Self.start + "token: { body: ⟦jsn⟧ }\n"],
                good: [Self.start + "token: { body: json }\n"]
            )
        case .badTemplate:
            RuleExplanation(
                code: rawValue,
                name: "bad-template",
                summary: "A brace has no partner, or what is between two braces cannot be used at this place.",
                rationale: """
                    Braces stand for inputs, and at some keys for what a callback, a response or a lookup brings: what is \
                    not known yet when the text is filled, and a secret in a URL, are refused. A text that means a brace \
                    itself cannot be sent through a template.
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
            RuleExplanation(
                code: rawValue,
                name: "bad-pointer",
                summary: "The text is not a JSON Pointer.",
                rationale:
                    "A pointer names a place in a response exactly; a dotted path would be ambiguous for names with dots.",
                references: ["RFC 6901, section 3"],
                bad: [Self.start + "profile: { claims: { name: ⟦user.name⟧ } }\n"],
                good: [Self.start + "profile: { claims: { name: /user/name } }\n"]
            )
        case .missingReason:
            RuleExplanation(
                code: rawValue,
                name: "protection-off-without-reason",
                summary: "A protection is switched off and nothing says why.",
                rationale: """
                    Proof keys and nonces stop stolen and injected codes. A provider that cannot have one is possible; an \
                    author who switches one off to make an error go away is likelier. The reason is for the next reader.
                    """,
                references: ["RFC 9700, section 2.1.1", "OpenID Connect Core 1.0, section 15.5.2"],
                bad: [Self.start + "authorization: { pkce: ⟦off⟧ }\n"],
                good: [Self.start + "authorization: { pkce: required }\n"]
            )
        case .emptyValue:
            RuleExplanation(
                code: rawValue,
                name: "empty-value",
                summary: "The text is empty.",
                rationale: "An empty text says that something is meant and does not say what.",
                bad: [Self.start + "docs: ⟦\"\"⟧\n"],
                good: [Self.start]
            )
        }
    }
}
