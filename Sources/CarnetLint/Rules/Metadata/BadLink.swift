import CarnetDescriptors

struct BadLink: SingleValueRule {
    let explanation = RuleExplanation(
        code: "M005",
        name: "bad-link",
        severity: .warning,
        summary: "A link to documentation is not a web address.",
        rationale:
            "'docs' and 'link' are opened by people and shown as links; anything but a whole https URL leads nowhere.",
        bad: [
            "docs: ⟦acme.example/docs⟧\n",
            "notes: [{ about: id, because: it is theirs, link: ⟦their wiki⟧ }]\n",
        ],
        good: ["docs: https://acme.example/docs#oauth\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        var links = [context.node("docs"), context.node("verified", "link")]
        links += context.elements("notes").map { $0.entry("link")?.value }
        return links.compactMap { node in
            guard let node, let text = node.scalar?.text else { return nil }
            // A link may have a fragment, unlike an endpoint.
            let page = text[..<(text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex)]
            if (try? WebURL.check(String(page))) != nil { return nil }
            return finding(
                "\"\(text)\" is not a web address", in: context, at: node.span, help: "write the whole https URL")
        }
    }
}
