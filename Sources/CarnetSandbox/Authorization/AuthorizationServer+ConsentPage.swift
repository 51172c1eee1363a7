import CarnetDescriptors
import CarnetFoundation

/// The page that asks a person what to allow. Its form goes to the page's own URL.
extension AuthorizationServer {
    func consentPage(for request: AuthorizationRequest, ticket: String) -> Reply {
        .html(
            "Sign in with \(provider.name)",
            """
            <p>This sandbox simulates \(provider.name). No real account is used.</p>
            <p>The client <code>\(request.client.clientID)</code> requests a sign-in. \
            The response goes to <code>\(request.target.redirectURI)</code>.</p>
            \(choiceForm(ticket, of: request.scopes, "\(faults)\n"))
            """,
            provider.display.color)
    }

    /// The form with the choice of a person and of scopes.
    func choiceForm(_ ticket: String, of scopes: [String], _ further: HTML = "") -> HTML {
        let people: [HTML] = options.users.enumerated().map { index, user in
            let name = user == .sample ? Identity(user, at: provider).name : nil
            return """
                <label><input type="radio" name="user" value="\(index)"\(if: index == 0, " checked")> \
                <span>\(name.map { "\($0), as in the samples" } ?? user.label)</span></label>

                """
        }
        return """
            <form method="post">
            <input type="hidden" name="ticket" value="\(ticket)">
            <fieldset>
            <legend>Who are you?</legend>
            \(people)\
            </fieldset>
            \(choice(of: scopes))
            \(further)<button type="submit" name="decision" value="allow">Allow</button>
            <button type="submit" name="decision" value="deny">Deny</button>
            </form>
            """
    }

    private func choice(of scopes: [String]) -> HTML {
        guard !scopes.isEmpty else { return "" }
        let lines: [HTML] = scopes.map { scope in
            let title = provider.scopes.catalog.first { $0.id == scope }?.title
            let state: HTML = isFixed(scope) ? " checked disabled" : " checked"
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

    /// Whether a person cannot take a scope out of a request.
    private func isFixed(_ scope: String) -> Bool { scope == "openid" || provider.scopes.required.contains(scope) }

    /// What was chosen in the form; `nil` without a person.
    func choice(in form: ReceivedParameters, of scopes: [String]) -> (user: SandboxUser, scopes: [String])? {
        guard let index = form["user"].flatMap({ Int($0) }), options.users.indices.contains(index) else { return nil }
        let kept = form.values(named: "scope")
        return (options.users[index], scopes.filter { kept.contains($0) || isFixed($0) })
    }

    private var faults: HTML {
        guard options.offersFaults else { return "" }
        let lines: [HTML] = faultsOfOneSignIn.map { fault in
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
}
