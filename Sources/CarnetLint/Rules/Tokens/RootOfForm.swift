import CarnetDescriptors
import CarnetFoundation

struct RootOfForm: LintRule {
    let explanation = DiagnosticExplanation(
        "T012", name: "root-of-form",
        summary: "A response has no place for a value: a root in form encoding, or an empty list of places.",
        rationale: """
            A form is a list of parameters, and no parameter contains an object. Carnet finds nothing there, nor where \
            no place is named.
            """,
        references: ["RFC 6749, section 5.1"],
        bad: [
            "token: { response: { format: form, root: ⟦/data⟧ } }",
            "token: { response: { fields: { access_token: ⟦[]⟧ } } }",
            "profile: { format: form, root: ⟦/user⟧, claims: { subject: /id } }",
            "profile: { claims: { subject: /id, groups: ⟦{ root: /teams, each: [] }⟧ } }",
        ],
        good: [
            "token: { response: { format: form } }", "token: { response: { root: /data } }",
            "profile: { claims: { subject: /id, name: [] } }",
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        ofProfile(context)
            + RequestKind.allCases.flatMap { kind -> [Diagnostic] in
                guard let rules = context.descriptor.response(of: kind), let section = context.places.rules(of: kind)
                else { return [] }
                var found = check(rules.format, rules.root, at: section.grant.response.root.span, context)
                if rules.fields.accessToken.pointers.isEmpty {
                    found.append(
                        finding(
                            "the list names no place of the access token", in: context,
                            at: section.grant.response.fields.accessToken.span,
                            help: "name it, or remove 'access_token' for the usual place"))
                }
                return found
            }
    }

    private func check(
        _ format: ResponseFormat, _ root: JSONPointer, at span: @autoclosure () -> SourceSpan, _ context: LintContext
    ) -> [Diagnostic] {
        guard format == .form, !root.tokens.isEmpty else { return [] }
        return findings(
            "a form has no object at \(root)", in: context, at: span(),
            help: "remove 'root', or 'format: form' if the body is JSON")
    }

    private func ofProfile(_ context: LintContext) -> [Diagnostic] {
        let (profile, places) = (context.descriptor.profile, context.places.profile)
        var found = check(profile.format, profile.root, at: places.root.span, context)
        for (request, place) in zip(profile.requests, places.requests.all) {
            found += check(request.format, request.root, at: place.root.span, context)
        }
        let claims =
            profile.claims.items.map { ($0, places.claims) }
            + zip(profile.requests, places.requests.all).flatMap { request, place in
                request.claims.items.map { ($0, place.claims) }
            }
        return found
            + claims.filter { claim, _ in
                let elements = claim.value.elements
                return elements?.pointers.isEmpty ?? (claim.value.isPresence && claim.value.pointers.isEmpty)
            }.map { claim, place in
                finding(
                    "the list names no place of the claim \(claim.name)", in: context, at: place[claim.name].span,
                    help: "name it, or remove the claim")
            }
    }
}
