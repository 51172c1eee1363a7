import CarnetDescriptors

/// Something in a new version of a descriptor that breaks those who use the old one.
struct BreakingChange: Hashable {
    let rule: DiagnosticExplanation
    /// The path of the key.
    var path: [String]
    /// What was, and what is.
    let message: String
    /// Who is hurt, and what to do.
    let help: String
}

extension BreakingChange {
    static let rules: [DiagnosticExplanation] = [
        .removedProvider, .account, .input, .authentication, .protection, .requestedScopes, .scope, .resource, .moved,
        .form, .ability, .missingValue, .notCompared,
    ]

    static func notCompared(_ reason: String) -> BreakingChange {
        BreakingChange(
            rule: .notCompared, path: ["id"], message: "the versions cannot be compared: \(reason)",
            help: "nothing is known about those who use it; compare with a version that can be read")
    }
}

extension DiagnosticExplanation {
    static let removedProvider = DiagnosticExplanation(
        code: "B001", name: "provider-removed", summary: "A provider was removed, or has another id.",
        rationale: """
            Programs, clients files and stored sign-ins name a provider by its id. To rename one, keep the old id in a file of its \
            own that contains `extends: NEW-ID`. To remove one, first publish it with `status: { closed: REASON }`, or with a \
            day in `status.retiring` that has passed: then its removal is no finding.
            """)

    static let account = DiagnosticExplanation(
        code: "B002", name: "account-changed", summary: "A person who signs in again is another account.",
        rationale: """
            A provider, an issuer and a subject identify an account. If the issuer changes, or the subject comes from another \
            place, a host does not recognize the people who signed in earlier, and Carnet refuses to refresh tokens of another \
            issuer. An additional pointer at the end of `profile.claims.subject` is no finding: the first that finds a value \
            still counts.
            """,
        references: ["OpenID Connect Core 1.0, section 5.7"])

    static let input = DiagnosticExplanation(
        code: "B003", name: "input-changed", summary: "The inputs of existing registrations no longer fit.",
        rationale: """
            A host's configuration and stored sign-ins contain values for the inputs. An input that is removed, renamed or newly \
            required, and a narrower type, pattern or list of values, stop such a program. Another default sends its users to \
            another tenant or server. To require a new value, add an input with `optional` or `default`.
            """)

    static let authentication = DiagnosticExplanation(
        code: "B004", name: "client-authentication-changed",
        summary: "A method of client authentication is no longer accepted.",
        rationale: """
            A registration has a secret, a key or a certificate. If the method for it is gone from `client.authentication`, its \
            host must register anew. To prefer another method, put it first and keep the old one behind it.
            """)

    static let protection = DiagnosticExplanation(
        code: "B005", name: "protection-weakened", summary: "A protection that the descriptor had is gone.",
        rationale: """
            Hosts chose the descriptor with PKCE, a nonce, bound tokens or signed responses. An update takes the protection from \
            all of them, and none of them sees it. A reason in the key itself explains it to the readers of the file, not to \
            those who already use it.
            """)

    static let requestedScopes = DiagnosticExplanation(
        code: "B006", name: "requested-scopes-changed", summary: "A sign-in requests other scopes than before.",
        rationale: """
            Without a scope that was requested, a program's calls fail after the next sign-in. A new one is missing in all \
            earlier grants, and a provider that limits an application to registered scopes refuses the sign-in. A scope that \
            implies another covers it. Add new scopes to `scopes.catalog`, and let the host request them.
            """)

    static let scope = DiagnosticExplanation(
        code: "B007", name: "scope-removed", summary: "A scope is gone from the catalogue, or implies less.",
        rationale: """
            Programs name the scopes of `scopes.catalog`, and earlier grants contain them. If a scope no longer implies another, \
            an earlier grant no longer covers it, and Carnet asks for consent again.
            """)

    static let resource = DiagnosticExplanation(
        code: "B008", name: "resource-changed", summary: "A resource is gone, or needs more than before.",
        rationale: """
            Programs call the resources of a descriptor by URL or id, and a resource server decides by them. An earlier grant \
            with the old scopes must suffice for the same request, and its headers must stay. Titles may change.
            """)

    static let moved = DiagnosticExplanation(
        code: "B009", name: "tokens-moved", summary: "Tokens of earlier sign-ins do not go where they now should.",
        rationale: """
            Carnet sends the tokens of a sign-in only to the servers that the descriptor named at that time. If an endpoint moves \
            to another origin, the request of each earlier sign-in fails until its user signs in again. Another audience makes \
            earlier tokens useless at the API. Another path of the same server is no finding, except that of `api.base_url`, \
            which programs complete with their own paths.
            """,
        references: ["RFC 8707, section 2"])

    static let form = DiagnosticExplanation(
        code: "B010", name: "token-requests-changed",
        summary: "Tokens of earlier sign-ins are sent in another form, or the responses are read in another way.",
        rationale: """
            Nobody is present at a refresh, and programs call the API, revoke and introspect with tokens that exist. If the new \
            form is wrong for them, every session ends, and some providers revoke a refresh token that is used wrongly. Test the \
            new form with a token of an earlier sign-in. A further header or parameter is no finding.
            """,
        references: ["RFC 6749, section 6"])

    static let ability = DiagnosticExplanation(
        code: "B011", name: "ability-removed",
        summary: "Something that programs could do with the descriptor is gone.",
        rationale: """
            A program may use each endpoint, grant, environment, redirect URI, claim and value that a descriptor names, and \
            learns only at run time that one is gone. People who could sign in cannot any more, if a value becomes required, \
            or a pattern or list of algorithms narrower. An endpoint that the provider's metadata can name is not missed.
            """)

    static let missingValue = DiagnosticExplanation(
        code: "B012", name: "value-missing", summary: "A request needs a value that earlier sign-ins did not keep.",
        rationale: """
            `token.response.capture`, `callback.capture`, `exchange` and `connection` keep their values at the sign-in. A header or \
            URL that uses a new one is incomplete for each earlier sign-in. Give the template a default, such as \
            `{token.region|eu}`.
            """)

    static let notCompared = DiagnosticExplanation(
        code: "B013", name: "not-compared",
        summary: "A version has errors or is empty, so that little or nothing was compared.",
        rationale: """
            Without a comparison, nothing is known about those who use the earlier version. Compare with a version that can be \
            read. Without such a version, a new note about `id` says that you compared the texts yourself.
            """)
}
