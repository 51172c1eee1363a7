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
            "tables: { q: { me: '{ me { id } }' } }\nprofile: { parameters: { query: \"{map('me', 'q')}\" }, claims: { email: ⟦/email⟧ } }",
        ],
        good: [
            "profile: { parameters: { fields: 'name,avatar' }, claims: { name: [/label, /name], picture: /avatar/url } }",
            "profile: { parameters: { fields: 'first-name,mail', query: '' }, claims: { subject: /id, given_name: /first-name } }",
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
                || !text.contains("{") && ["fields", "select", "$select", "projection"].contains(name)
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
        return claims.compactMap { name, tokens in
            guard let field = tokens.first, !tokens.contains(where: (words + ids).containsBytes),
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
