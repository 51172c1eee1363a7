/// What the decoder finds: keys and values that the descriptor language does not have.
public enum DecoderRules {
    public static let all: [RuleExplanation] = DecoderRule.allCases.map(\.explanation)
}

extension DecoderRule {
    public var explanation: RuleExplanation {
        switch self {
        case .unknownKey:
            RuleExplanation(
                code: rawValue,
                name: "unknown-key",
                summary: "A key is not part of the descriptor language, or not at this place.",
                rationale: """
                    A key that nothing reads would make its author believe that something is set. Every section has a \
                    fixed list of keys; the finding names the nearest one.
                    """,
                fix: .unsafe,
                bad: ["scopes: { ⟦defualt⟧: [openid] }\n", "token: { ⟦scopes⟧: [openid] }\n"],
                good: ["scopes: { default: [openid] }\n"]
            )
        case .wrongType:
            RuleExplanation(
                code: rawValue,
                name: "wrong-type",
                summary: "A value is of another kind than its key needs.",
                rationale: """
                    A list is not a text and a number is not a name. A text that looks like a number or a boolean needs \
                    quotes, because 1.10 and 1.1 are the same number and two different versions.
                    """,
                references: ["YAML 1.2.2, section 10.3.2"],
                bad: ["scopes: { default: ⟦openid⟧ }\n", "authorization: { ephemeral_session: ⟦yes⟧ }\n"],
                good: ["scopes: { default: [openid] }\nauthorization: { ephemeral_session: true }\n"]
            )
        case .missingKey:
            RuleExplanation(
                code: rawValue,
                name: "missing-key",
                summary: "A section lacks a key that it cannot do without.",
                rationale: "The finding stands at the first key of the section and says what the missing key is for.",
                bad: ["resources: [{ ⟦title⟧: Photos, scope: photos }]\nscopes: { catalog: [photos] }\n"],
                good: [
                    """
                    resources: [{ title: Photos, scope: photos, url: https://api.acme.example/photos }]
                    scopes: { catalog: [photos] }

                    """
                ]
            )
        case .valueNotAllowed:
            RuleExplanation(
                code: rawValue,
                name: "value-not-allowed",
                summary: "A value is not among those that its key allows.",
                rationale: """
                    Many keys have a closed list of words, so that a descriptor can be checked and every word has one \
                    meaning. Ids are lower-case letters, digits and hyphens, because they become file names, names of \
                    environment variables and names in code.
                    """,
                bad: ["token: { body: ⟦xml⟧ }\n", "carnet: 1\nid: ⟦Acme Corp⟧\nname: Acme\n"],
                good: ["token: { body: json }\n"]
            )
        case .badTemplate:
            RuleExplanation(
                code: rawValue,
                name: "bad-template",
                summary: "The braces of a text do not enclose the name of an input.",
                rationale: """
                    In URLs, parameters and headers, {name} stands for the input of that name, and nothing else can be in \
                    braces: no expression, and no brace alone.
                    """,
                bad: ["issuer: ⟦'https://{domain'⟧\n", "issuer: ⟦'https://{a-b}.acme.example'⟧\n"],
                good: ["issuer: https://{domain}\ninputs: { domain: { type: hostname } }\n"]
            )
        case .badPointer:
            RuleExplanation(
                code: rawValue,
                name: "bad-pointer",
                summary: "A path into a response is not a JSON Pointer.",
                rationale: "A JSON Pointer starts with a slash; '~0' stands for '~' and '~1' for '/' in a name.",
                references: ["RFC 6901, section 3"],
                bad: ["profile: { claims: { name: ⟦user.name⟧ } }\n", "profile: { claims: { name: ⟦/a~b⟧ } }\n"],
                good: ["profile: { claims: { name: /user/name } }\n"]
            )
        case .missingReason:
            RuleExplanation(
                code: rawValue,
                name: "missing-reason",
                summary: "A protection is switched off without a reason.",
                rationale: """
                    Everyone who signs in with the provider depends on it, so the file has to say why this provider \
                    cannot have it, with a link to the evidence.
                    """,
                references: ["RFC 9700, section 2.1.1"],
                bad: ["authorization: { pkce: ⟦off⟧ }\n"],
                good: ["authorization: { pkce: required }\n"]
            )
        case .emptyValue:
            RuleExplanation(
                code: rawValue,
                name: "empty-value",
                summary: "A text is empty.",
                rationale:
                    "An empty text is most often one that was to be filled in. A key that is not needed is left out.",
                bad: ["docs: ⟦''⟧\n"],
                good: ["docs: https://acme.example/docs\n"]
            )
        }
    }
}
