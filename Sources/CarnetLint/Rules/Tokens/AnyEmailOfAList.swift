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
        ])

    /// How providers mark the address that is the account's. A list of fields of all kinds has it under its name.
    private static let marks = ["primary", "default", "main", "preferred", "mail"]

    func check(_ context: LintContext) -> [Diagnostic] {
        let firsts = context.places.profile.claims.entries.filter { $0.key == "email" && Self.isFirstOfList($0.value) }
        return firsts.map { entry in
            finding(
                "the pointer takes the first address of a list", in: context, at: entry.keySpan,
                help: "select the primary one: { root: /LIST, where: { primary: true }, first: /PLACE }")
        } + unmarked(context) + verifiedElsewhere(context)
    }

    /// The verification of an element that may be another address.
    private func verifiedElsewhere(_ context: LintContext) -> [Diagnostic] {
        let (claims, place) = (context.descriptor.profile.claims, context.places.profile.claims["email_verified"])
        guard let email = claims["email"], let elements = email.elements, let verified = claims["email_verified"],
            !verified.pointers.isEmpty,
            verified.pointers != email.pointers || !elements.isOfSameElement(as: verified.elements)
        else { return [] }
        return findings(
            "email_verified is read of another element than email", in: context, at: place.keySpan,
            help: "write the same root and where for both")
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

    private func unmarked(_ context: LintContext) -> [Diagnostic] {
        func conditions(of claim: YAMLEntry) -> [YAMLEntry] {
            claim.value.entries?.first { $0.key == "where" }?.value.entries ?? []
        }
        let requests = zip(context.descriptor.profile.requests, context.places.profile.requests.all)
        // A sample shows whether there is a list.
        let lists = requests.filter { rules, _ in rules.sample?[rules.root].map { $0.array != nil } ?? true }
        let further = lists.flatMap { _, request in request.claims.entries.map { ($0, request.conditions.entries) } }
        return (context.places.profile.claims.entries.map { ($0, conditions(of: $0)) } + further).compactMap {
            email, conditions in
            // Without a condition, the response is one object or a list of one.
            guard email.key == "email", !conditions.isEmpty else { return nil }
            let isMarked = conditions.contains { entry in
                let texts = [entry.key, entry.value.scalar?.text ?? ""].map { $0.lowercased() }
                return texts.contains { text in Self.marks.contains { text.contains($0) } }
            }
            guard !isMarked else { return nil }
            return finding(
                "nothing selects the primary address", in: context, at: email.keySpan,
                help: "add the member that marks it to 'where', such as primary: true")
        }
    }
}
