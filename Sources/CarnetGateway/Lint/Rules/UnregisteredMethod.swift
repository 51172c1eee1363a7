import CarnetDescriptors

struct UnregisteredMethod: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G027", name: "unregistered-method", severity: .warning,
        summary: "A route names a method that is not registered.",
        rationale: """
            A route with a misspelled method decides about no request, and the requests that it was written for are \
            refused. The IANA registers the methods of HTTP and of its extensions, such as WebDAV. If a program behind \
            the proxy has a method of its own, say so in a comment that silences the finding.
            """,
        references: ["RFC 9110, section 16.1"],
        bad: [
            "routes: [{ methods: [GET, ⟦FETCH⟧], allow: signed_in }]\n",
            "routes: [{ methods: ⟦DELTE⟧, allow: signed_in }]\n",
        ],
        good: ["routes: [{ methods: [PATCH, PROPFIND, QUERY], allow: signed_in }]\n"]
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        context.rules.routes.flatMap { $0.node.values(of: "methods") }.compactMap { node in
            guard let method = node.scalar?.text, !Self.registered.contains(method) else { return nil }
            return GatewayFinding(
                "the method \(method) is not registered", at: node.span,
                help: suggestion(for: method, among: Self.registered.sorted(), within: 2)
                    ?? "write a registered method, such as GET or POST")
        }
    }

    /// The Hypertext Transfer Protocol (HTTP) Method Registry of the IANA.
    private static let registered: Set = [
        "ACL", "BASELINE-CONTROL", "BIND", "CHECKIN", "CHECKOUT", "CONNECT", "COPY", "DELETE", "GET", "HEAD", "LABEL",
        "LINK", "LOCK", "MERGE", "MKACTIVITY", "MKCALENDAR", "MKCOL", "MKREDIRECTREF", "MKWORKSPACE", "MOVE", "OPTIONS",
        "ORDERPATCH", "PATCH", "POST", "PROPFIND", "PROPPATCH", "PUT", "QUERY", "REBIND", "REPORT", "SEARCH", "TRACE",
        "UNBIND", "UNCHECKOUT", "UNLINK", "UNLOCK", "UPDATE", "UPDATEREDIRECTREF", "VERSION-CONTROL",
    ]
}
