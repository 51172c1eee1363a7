import CarnetDescriptors
import CarnetFoundation

struct FieldNotRequested: LintRule {
    let explanation = DiagnosticExplanation(
        "T015", name: "field-not-requested", severity: .warning,
        summary: "A claim reads a field that the request of the profile does not list.",
        rationale: """
            Some APIs return only the fields that a request lists, in a parameter such as 'fields' or in a GraphQL query. The \
            claim is then always missing, although the sample has the field.
            """,
        bad: [
            "endpoints: { userinfo: 'https://a.example/me?fields=id%2Cmail' }\nissuer: https://a.example\nprofile: { claims: { name: ⟦/name⟧ } }",
            "profile: { root: /data, parameters: { user.fields: 'id,created_at' }, claims: { username: /username, email: ⟦/confirmed_email⟧ } }",
            """
            profile:
              requests:
                - { url: 'https://a.example/mail?projection=(elements*(handle))', root: /elements, claims: { email: ⟦/handle~0/mail⟧ } }
            """,
            "tables: { q: { me: '{ me { id } }' } }\nprofile: { parameters: { query: \"{map('me', 'q')}\" }, claims: { email: ⟦/email⟧ } }",
        ],
        good: [
            "profile: { parameters: { fields: 'name,avatar' }, claims: { name: [/label, /name], picture: /avatar/url } }",
            "profile: { parameters: { fields: 'first-name,mail', query: '' }, claims: { subject: /id, given_name: /first-name } }",
            "profile: { parameters: { user.fields: 'created_at,mail' }, claims: { subject: /id, name: /name, email: /mail } }",
            "profile: { parameters: { projection: '(id,mail~)' }, claims: { subject: /id, email: /mail~0/address } }",
            "profile: { parameters: { projection: full }, claims: { name: /name } }",
            "profile: { parameters: { fields: 'locale,timezone' }, claims: { subject: /uid, name: /name } }",
            "profile: { parameters: { fields: 'name,email' }, claims: { subject: /sub, name: /name } }",
            """
            profile: { parameters: { fields: 'name,locale' }, claims: { name: /name, email: /email } }
            notes: [{ about: profile.claims.email, because: the list names what comes besides the e-mail address }]
            """,
        ])

    let isReminder = true

    func check(_ context: LintContext) -> [Diagnostic] {
        let (profile, place) = (context.descriptor.profile, context.places.profile)
        let userinfo = context.descriptor.endpoints[.userinfo]
        let further = zip(profile.requests, place.requests.all).flatMap {
            unexpanded($0.claims.items, $0.request.parameters["projection"] ?? $0.url, $1.claims, context)
        }
        return unlisted(context) + further
            + unexpanded(
                profile.claims.items, profile.request.parameters["projection"] ?? userinfo, place.claims, context)
    }

    /// Claims of an object that a projection with parentheses names by its reference alone, without the tilde.
    private func unexpanded(
        _ claims: [Named<ClaimPlace>], _ projection: Template?, _ place: Place<NamedList<ClaimPlace>>,
        _ context: LintContext
    ) -> [Diagnostic] {
        guard let text = projection?.source, text.contains("(") else { return [] }
        return claims.compactMap { claim in
            let member = claim.value.pointersInCandidate.first?.tokens.first { $0.hasSuffix("~") }
            guard let member, !text.contains(member), text.contains(member.dropLast()) else { return nil }
            return finding(
                "the request does not expand a field of the claim \(claim.name)", in: context,
                at: place[claim.name].span, help: "write \(member) in the projection")
        }
    }

    private func unlisted(_ context: LintContext) -> [Diagnostic] {
        let (profile, place) = (context.descriptor.profile, context.places.profile)
        guard [nil, .userinfo].contains(profile.source) else { return [] }
        let query = context.urls.first { $0.name == "endpoints.userinfo" }?.queryParameters ?? []
        let added = profile.request.parameters.items.map { item in
            let tables = item.value.tables.compactMap { context.descriptor.tables[$0] }
            return (item.name, tables.first?.items.map(\.value).joined() ?? item.value.source)
        }
        let all = query.map { ($0.name, String($0.text.dropFirst($0.name.utf8.count))) } + added
        // In a GraphQL query, each list has braces; elsewhere, they are a value that is not known here.
        func isQuery(_ name: String, _ text: String) -> Bool {
            name == "query" && (text.contains("{ ") || text.contains("{\n"))
        }
        let list = all.first { name, text in
            isQuery(name, text)
                || !text.contains("{")
                    && (["fields", "select", "$select", "projection"].contains(name) || name.hasSuffix(".fields"))
        }
        let text = list?.1.replacing("%2C", with: ",").replacing("%2c", with: ",").replacing("%20", with: " ") ?? ""
        let words = text.split { !$0.isLetter && !$0.isNumber && !"_-".contains($0) }.map(String.init)
        // One word may name a set of fields.
        guard let list, words.count > 1, !text.contains("*") else { return [] }
        // Many APIs send the id in any case.
        let ids = ["id", "sub"]
        let claims = profile.claims.items.map { claim in
            (claim.name, (claim.value.pointers + (claim.value.elements?.pointers ?? [])).flatMap(\.tokens))
        }
        // A list without the id and without any claim names what comes besides the usual fields.
        guard isQuery(list.0, list.1) || (ids + claims.flatMap(\.1)).contains(where: words.containsBytes)
        else { return [] }
        // What a parameter calls the fields of an object comes besides its names.
        let usual = list.0.hasSuffix(".fields") ? ids + ["name", "username"] : ids
        return claims.compactMap { name, tokens in
            guard let field = tokens.first, !field.hasSuffix("~"),
                !tokens.contains(where: (words + usual).containsBytes),
                profile.derive[name] == nil
            else { return nil }
            let similar = context.nearest(to: field, in: words)
            return finding(
                "the request does not list a field of the claim \(name)", in: context,
                at: place.claims[name].span,
                help: similar.map { "did you mean /\($0)?" } ?? "add it to the list, such as \(field)")
        }
    }
}
