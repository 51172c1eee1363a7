import CarnetDescriptors
import CarnetFoundation

/// The page that asks a person what to allow. Its form goes to the page's own URL.
struct ConsentPage {
    let server: AuthorizationServer
    let request: AuthorizationRequest
    let ticket: String

    var page: HTMLPage {
        HTMLPage(
            title: "Sign in with \(server.provider.name)",
            content: """
                <p>This sandbox simulates \(server.provider.name). No real account is used.</p>
                <p>The client <code>\(request.client.clientID)</code> requests a sign-in. \
                The response goes to <code>\(request.redirectURI)</code>.</p>
                <form method="post">
                <input type="hidden" name="ticket" value="\(ticket)">
                <fieldset>
                <legend>Who are you?</legend>
                \(users)\
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

    private var users: HTML { Self.users(of: server) }
    private var scopes: HTML { Self.scopes(request.scopes, at: server) }

    /// The choice of a person.
    static func users(of server: AuthorizationServer) -> HTML {
        let lines: [HTML] = server.options.users.enumerated().map { index, user in
            let name = user == .sample ? Identity(user, at: server.provider).name : nil
            return """
                <label><input type="radio" name="user" value="\(index)"\(if: index == 0, " checked")> \
                <span>\(name.map { "\($0), as in the samples" } ?? user.label)</span></label>

                """
        }
        return "\(lines)"
    }

    private var faults: HTML {
        guard server.options.offersFaults else { return "" }
        let lines: [HTML] = server.faultsOfOneSignIn.map { fault in
            "<option value=\"\(fault.rawValue)\">\(fault.summary)</option>\n"
        }
        return """
            <label class="above">Fault to simulate
            <select name="fault">
            <option value="">nothing</option>
            \(lines)\
            </select></label>
            """
    }

    /// The choice of scopes.
    static func scopes(_ scopes: [String], at server: AuthorizationServer) -> HTML {
        guard !scopes.isEmpty else { return "" }
        let lines: [HTML] = scopes.map { scope in
            let title = server.provider.scopes.catalog.first { $0.id == scope }?.title
            let state: HTML = server.isFixed(scope) ? " checked disabled" : " checked"
            return """
                <label><input type="checkbox" name="scope" value="\(scope)"\(state)> \
                <span>\(title.map { "\($0) " })<code>\(scope)</code></span></label>

                """
        }
        return """
            <fieldset>
            <legend>What may the client do?</legend>
            \(lines)\
            </fieldset>
            """
    }
}
