import CarnetDescriptors

struct BadHeader: SingleValueRule {
    let explanation = RuleExplanation(
        code: "C008",
        name: "bad-header",
        summary: "A header has an invalid name or value, or Carnet sets it itself.",
        rationale: """
            Carnet sets 'Authorization', 'Content-Type' and the headers of the connection from the client \
            authentication, the token and 'body'. It does not send a second value, so a comment cannot suppress this \
            rule. A line break in a value would start another header.
            """,
        references: ["RFC 9110, section 5.1", "RFC 9110, section 5.5", "RFC 6749, section 2.3"],
        bad: [
            "token: { headers: { ⟦Authorization⟧: Basic, Accept: application/json } }\n",
            "token: { headers: { ⟦content-type⟧: application/json } }\n",
            "profile: { headers: { ⟦'X Version'⟧: '2' } }\n",
            "api: { token_in: { header: ⟦Authorization⟧ } }\n",
            "api: { token_in: { header: X-Acme-Token }, headers: { ⟦x-acme-token⟧: none } }\n",
            #"api: { headers: { X-Version: ⟦"2\r\nHost: evil.example"⟧ } }"# + "\n",
        ],
        good: ["profile: { headers: { Accept: application/vnd.acme+json, X-Acme-Version: '2026-01-01' } }\n"]
    )

    /// The engine never sends such a header, whatever a comment says.
    let isSuppressible = false

    private static let managed: Set<String> = [
        "authorization", "proxy-authorization", "content-type", "content-length", "transfer-encoding", "connection",
        "host",
        "cookie", "expect", "te", "trailer", "upgrade",
    ]

    func check(_ context: LintContext) -> [Diagnostic] {
        let places = context.places
        let withBody =
            context.requests.flatMap(\.headers) + places.profile.requests.all.flatMap(\.request.headers.entries)
        let others = ([places.api.headers] + places.resources.all.map(\.headers)).flatMap(\.entries)
        let headers = withBody.map { ($0, true) } + others.map { ($0, false) }
        let ofTokens = [places.api.tokenIn, places.profile.tokenIn, places.revocation.tokenIn].compactMap(\.header)
        guard !headers.isEmpty || !ofTokens.isEmpty else { return [] }
        let misnamed = ofTokens.compactMap { node -> Diagnostic? in
            guard let name = node.scalar?.text, !Self.isToken(name) || Self.managed.contains(name.lowercased()) else {
                return nil
            }
            return finding(
                "\"\(name)\" cannot be the header of the access token",
                in: context,
                at: node.span,
                help: "name the provider's own header; 'token_in: authorization' is the Authorization header"
            )
        }
        let names = Set(ofTokens.compactMap { $0.scalar?.text.lowercased() })
        return misnamed
            + headers.compactMap { header, hasBody in
                let name = header.key.lowercased()
                if names.contains(name) {
                    return finding(
                        "Carnet puts the access token into \"\(header.key)\"", in: context, at: header.keySpan)
                }
                if !Self.isToken(header.key) {
                    return finding("\"\(header.key)\" cannot be the name of a header", in: context, at: header.keySpan)
                }
                if Self.managed.contains(name) {
                    let help = name == "content-type" && hasBody ? "use 'body' to choose the encoding" : "remove it"
                    return finding("Carnet sets \"\(header.key)\" itself", in: context, at: header.keySpan, help: help)
                }
                if header.value.scalar?.text.unicodeScalars.contains(where: Self.isForbidden) ?? false {
                    let message = "the value of \"\(header.key)\" has a line break or another control character"
                    return finding(message, in: context, at: header.value.span)
                }
                return nil
            }
    }

    /// RFC 9110, section 5.6.2.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 && scalar != "\t" || scalar.value == 0x7F
    }
}
