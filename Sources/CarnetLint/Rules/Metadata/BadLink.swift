import CarnetDescriptors
import CarnetFoundation

struct BadLink: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "M005", name: "bad-link", severity: .warning, summary: "A link to documentation is not a web address.",
        rationale: """
            People open 'docs', 'register.url' and 'link' in a browser. Anything but a complete URL leads nowhere. No request \
            goes there, so a page that has only http is allowed.
            """,
        bad: [
            "docs: ⟦acme.example/docs⟧",
            "notes: [{ about: id, because: it is theirs, link: ⟦their wiki⟧ }]",
            "register: { url: ⟦console.acme.example⟧ }",
        ],
        good: ["docs: https://acme.example/docs#oauth", "docs: http://docs.acme.example/oauth"])

    func check(_ context: LintContext) -> [Diagnostic] {
        let places = context.places
        let links =
            [places.docs, places.verified.link, places.status.link, places.register.url]
            + places.notes.all.map { $0.link }
        return links.compactMap { link in
            guard let text = link.text else { return nil }
            // A link may have a fragment, unlike an endpoint.
            let page = text[..<(text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex)]
            let secure = page.hasPrefix("http://") ? "https://" + page.dropFirst("http://".count) : String(page)
            if (try? WebURL.check(secure)) != nil { return nil }
            return finding(
                "\"\(text)\" is not a web address", in: context, at: link.span, help: "write the complete https URL")
        }
    }
}
