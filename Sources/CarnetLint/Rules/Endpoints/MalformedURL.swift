import CarnetDescriptors

struct MalformedURL: LintRule {
    let explanation = RuleExplanation(
        code: "E007",
        name: "malformed-url",
        summary: "A URL is not one, whatever its inputs are.",
        rationale: """
            Only printable ASCII as RFC 3986 allows it is requested. A host name with other letters is written in its \
            'xn--' form, and other characters are percent-encoded, so that a URL says the same to everyone.
            """,
        references: ["RFC 3986, section 2", "RFC 5890, section 2.3.2.1"],
        bad: [
            "issuer: ⟦https://id.acme.example/my realm⟧\n",
            "issuer: ⟦https://id.äcme.example⟧\n",
            "issuer: ⟦https://id.acme.example:https⟧\n",
            "issuer: ⟦https://⟧\n",
            "issuer: https://id.acme.example\nendpoints: { token: ⟦'{issuer}/to ken'⟧ }\n",
        ],
        good: ["inputs: { port: {} }\nissuer: https://id.xn--cme-pla.example:{port}/my%20realm\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        context.urls.compactMap { url in
            // What other rules say more exactly.
            guard url.scheme != nil || url.continuesIssuer, url.userInformation == nil, url.fragment == nil else {
                return nil
            }
            do throws(WebURLError) {
                let isOrdinary = url.continuesIssuer || url.scheme == "https"
                let filled = url.filled
                try WebURL.check(isOrdinary ? filled : "https" + filled.dropFirst(url.scheme?.utf8.count ?? 0))
                return nil
            } catch {
                return finding("\(url.name): \(error.reason)", in: context, at: url.node.span)
            }
        }
    }
}
