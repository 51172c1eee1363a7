import CarnetDescriptors
import CarnetFoundation

struct AnyEmailOfAList: LintRule {
    let explanation = DiagnosticExplanation(
        "T064", name: "any-email-of-a-list", severity: .warning,
        summary: "The e-mail address is the first of a list, not the primary one.",
        rationale: """
            An account can have several confirmed addresses. A list is in no order that a provider promises, so the first \
            address may be an old one, and another one at the next sign-in. Most providers mark the primary address.
            """,
        references: ["OpenID Connect Core 1.0, section 5.1"],
        bad: """
            profile:
              requests: [{ url: 'https://api.acme.example/emails', where: { verified: true }, claims: { ⟦email⟧: /email } }]

            profile: { claims: { ⟦email⟧: /emails/0/value } }

            profile:
              claims:
                email: { root: /emails, where: { primary: true }, first: /value }
                ⟦email_verified⟧: { root: /emails, first: /verified }

            profile: { claims: { ⟦email⟧: { root: /emails, where: { verified: true }, first: /value } } }

            profile:
              requests:
                - url: https://api.acme.example/emails
                  root: /values
                  claims: { ⟦email⟧: /email }
                  sample: { values: [{ email: old@acme.example }, { email: ada@acme.example, is_primary: true }] }
            """,
        good: [
            """
            profile:
              requests: [{ url: 'https://api.acme.example/emails', where: { primary: true }, claims: { email: /email } }]
            """,
            "profile: { claims: { email: { root: /emails, where: { primary: true }, first: /value } } }",
            "profile: { claims: { email: { root: /fields, where: { name: email }, first: /value } } }",
            "profile: { requests: [{ url: 'https://api.acme.example/me', claims: { email: /email } }] }",
            """
            profile:
              requests:
                - url: https://api.acme.example/me
                  where: { state: active }
                  claims: { email: /email }
                  sample: { state: active, email: ada@acme.example }
            """,
            """
            profile: { claims: { email: { where: { confirmed: true }, first: /email }, email_verified: /confirmed } }
            samples: { userinfo: { sub: u-1, email: ada@acme.example, confirmed: true } }
            """,
            """
            profile: { claims: { email: { root: /mail, where: { confirmed: true }, first: /value } } }
            samples: { userinfo: { sub: u-1, mail: { value: ada@acme.example, confirmed: true } } }
            """,
        ])

    /// How providers mark the address that is the account's. A list of fields of all kinds has it under its name.
    private static let marks = ["primary", "default", "main", "preferred", "mail"]

    func check(_ context: LintContext) -> [Diagnostic] {
        let (profile, places) = (context.descriptor.profile, context.places.profile)
        let further = zip(profile.requests, places.requests.all).map { rules, place in
            EmailSource(
                claims: rules.claims, places: place.claims, conditions: place.conditions.entries,
                found: rules.sample?[rules.root], mayBeList: true)
        }
        let first = EmailSource(
            claims: profile.claims, places: places.claims,
            found: profile.source ?? .userinfo == .userinfo ? context.descriptor.samples.userinfo?[profile.root] : nil)
        return ([first] + further).flatMap { check($0, context) }
    }

    private func check(_ source: EmailSource, _ context: LintContext) -> [Diagnostic] {
        let place = source.places["email"]
        if let pointers = place.node, Self.isFirstOfList(pointers) {
            return findings(
                "the pointer takes the first address of a list", in: context, at: place.keySpan,
                help: "select the primary one: { root: /LIST, where: { primary: true }, first: /PLACE }")
        }
        guard let email = source.claims["email"], let elements = source.elements(of: email) else { return [] }
        var found: [Diagnostic] = []
        let conditions = source.conditions + (place.node?.entries?.first { $0.key == "where" }?.value.entries ?? [])
        let isMarked = conditions.contains { entry in
            let texts = [entry.key, entry.value.scalar?.text ?? ""].map { $0.lowercased() }
            return texts.contains { text in Self.marks.contains { text.contains($0) } }
        }
        // Without a condition, only a sample shows that there can be several addresses.
        let addresses = elements.compactMap { $0.firstStated(of: email.elements?.pointers ?? email.pointers) }
        if !isMarked, !conditions.isEmpty || addresses.count > 1 && !email.isList {
            found += findings(
                "nothing selects the primary address", in: context, at: place.keySpan,
                help: "add the member that marks it to 'where', such as primary: true")
        }
        if email.elements != nil, let verified = source.claims["email_verified"], !verified.pointers.isEmpty,
            !email.isOfSameElement(as: verified)
        {
            found += findings(
                "email_verified is read of another element than email", in: context,
                at: source.places["email_verified"].keySpan, help: "write the same root and where for both")
        }
        return found
    }

    /// Whether a pointer has an index into a list of addresses, such as /emails/0/value.
    private static func isFirstOfList(_ pointers: YAMLNode) -> Bool {
        (pointers.elements ?? [pointers]).contains { pointer in
            let tokens = (pointer.scalar?.text ?? "").split(separator: "/")
            // A list of strings, such as /emails/0, has no marks.
            return zip(tokens, tokens.dropFirst().dropLast()).contains { name, index in
                name.lowercased().contains("mail") && index.allSatisfy(\.isNumber)
            }
        }
    }
}

/// A response with claims.
private struct EmailSource {
    let claims: NamedList<ClaimPlace>
    let places: Place<NamedList<ClaimPlace>>
    var conditions: [YAMLEntry] = []
    /// The part of the sample at the root.
    let found: JSONValue?
    /// Whether the claims themselves may be of an element of a list.
    var mayBeList = false

    /// The elements of the list that a claim is read of, as far as a sample shows them; `nil` if it is of one object.
    func elements(of claim: ClaimPlace) -> [JSONValue]? {
        let hasOwnList = claim.elements != nil && !claim.isOfCandidates
        guard mayBeList || claim.elements != nil else { return nil }
        let shown = hasOwnList ? (found?.array?.first ?? found)?.firstStated(of: claim.pointers) : found
        return shown.map(\.array) ?? (hasOwnList || mayBeList ? [] : nil)
    }
}
