import CarnetDescriptors

/// The page that asks a person what to allow. Its form goes to the page's own URL.
struct ConsentPage {
    let server: AuthorizationServer
    let request: AuthorizationRequest
    let ticket: String

    var page: HTMLPage {
        let name = HTMLPage.escape(server.provider.name)
        let client = HTMLPage.escape(request.client.clientID)
        let target = HTMLPage.escape(request.redirectURI)
        return HTMLPage(
            title: "Sign in with \(server.provider.name)",
            content: """
                <p>This sandbox simulates \(name). No real account is used.</p>
                <p>The client <code>\(client)</code> requests a sign-in. The response goes to <code>\(
                    target)</code>.</p>
                <form method="post">
                <input type="hidden" name="ticket" value="\(ticket)">
                <fieldset>
                <legend>Who are you?</legend>
                \(users)
                </fieldset>
                \(scopes)
                \(faults)
                <button type="submit" name="decision" value="allow">Allow</button>
                <button type="submit" name="decision" value="deny">Deny</button>
                </form>
                """,
            color: server.provider.display.color
        )
    }

    private var users: String { Self.users(of: server) }
    private var scopes: String { Self.scopes(request.scopes, at: server) }

    /// The choice of a person.
    static func users(of server: AuthorizationServer) -> String {
        server.options.users.enumerated().map { index, user in
            let checked = index == 0 ? " checked" : ""
            return "<label><input type=\"radio\" name=\"user\" value=\"\(index)\"\(checked)> "
                + "<span>\(HTMLPage.escape(user.label))</span></label>"
        }.joined(separator: "\n")
    }

    private var faults: String {
        guard server.options.offersFaults else { return "" }
        let lines = SandboxFault.allCases.filter(\.isForOneSignIn).map { fault in
            "<option value=\"\(fault.rawValue)\">\(HTMLPage.escape(fault.summary))</option>"
        }
        return """
            <label class="above">Fault to simulate
            <select name="fault">
            <option value="">nothing</option>
            \(lines.joined(separator: "\n"))
            </select></label>
            """
    }

    /// The choice of scopes.
    static func scopes(_ scopes: [String], at server: AuthorizationServer) -> String {
        guard !scopes.isEmpty else { return "" }
        let lines = scopes.map { scope in
            let title = server.provider.scopes.catalog.first { $0.id == scope }?.title
            let text = (title.map { HTMLPage.escape($0) + " " } ?? "") + "<code>\(HTMLPage.escape(scope))</code>"
            let state = server.isFixed(scope) ? " checked disabled" : " checked"
            return "<label><input type=\"checkbox\" name=\"scope\" value=\"\(HTMLPage.escape(scope))\"\(state)> "
                + "<span>\(text)</span></label>"
        }
        return """
            <fieldset>
            <legend>What may the client do?</legend>
            \(lines.joined(separator: "\n"))
            </fieldset>
            """
    }
}
