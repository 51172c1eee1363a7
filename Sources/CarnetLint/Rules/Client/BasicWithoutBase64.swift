import CarnetDescriptors
import CarnetFoundation

struct BasicWithoutBase64: LintRule {
    let explanation = DiagnosticExplanation(
        "C022", name: "basic-without-base64", severity: .warning,
        summary: "An Authorization header has the scheme Basic, but its credentials are not in base64.",
        rationale: """
            The credentials of the scheme Basic are the base64 of user id, colon and password. A server cannot read \
            them without it. For the id and the secret of the client, the method 'client_secret_basic' does all of it.
            """,
        references: ["RFC 7617, section 2", "RFC 6749, section 2.3.1"],
        bad: [
            "token: { headers: { Authorization: ⟦'Basic {client.id}:{client.secret}'⟧ } }",
            "token: { headers: { authorization: ⟦'Basic {client.secret}'⟧ } }",
        ],
        good: """
            token: { headers: { Authorization: "Basic {base64(join(':', client.id, client.secret))}" } }

            inputs: { credentials: { secret: true, description: The base64 of user and password } }
            api: { headers: { Authorization: 'Basic {credentials}' } }
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        let places = context.places
        let headers =
            context.requests.flatMap(\.headers) + places.api.headers.entries
            + places.profile.requests.all.flatMap { $0.request.headers.entries }
            + places.exchange.named().flatMap { $0.value.request.headers.entries }
            + context.calls.flatMap { $0.place.headers.entries }
        return headers.compactMap { header in
            guard header.key.utf8.count == Self.name.utf8.count, header.key.lowercased() == Self.name,
                let text = header.value.scalar?.text, text.lowercased().hasPrefix("basic "),
                let template = try? Template(text, in: .anywhere)
            else { return nil }
            let isPlain = template.expressions.contains { expression in
                if case .value(let value) = expression { value.origin == .client } else { false }
            }
            guard isPlain || template.outline.holds(UInt8(ascii: ":")) else { return nil }
            return finding(
                "the credentials of the scheme Basic are not in base64", in: context, at: header.value.span,
                help: "write \"Basic {base64(join(':', client.id, client.secret))}\", or use client_secret_basic")
        }
    }

    private static let name = "authorization"
}
