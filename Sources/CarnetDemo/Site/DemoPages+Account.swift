import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetWeb

extension DemoPages {
    func account(_ view: AccountView) -> HTML {
        let account = view.visit.account
        let id = account.provider.rawValue
        let tabs: [HTML] = view.tabs.map { tab in
            """
            <a href="/accounts/\(id)?tab=\(tab.rawValue)\(if: view.visit.isOther, "&amp;account=\(account.storeName)")"\
            \(if: tab == view.tab, " aria-current=\"page\"")>\(tab.label)</a>

            """
        }
        let card =
            switch view.tab {
            case .profile: profile(view)
            case .payload, .header: token(view)
            case .resources: resources(view)
            }
        let refresh: HTML = """
            <form method="post" action="/accounts/\(id)/refresh\(view.visit.query)"><button>Refresh the tokens</button></form>

            """
        let isRefreshable = view.tokens.refreshToken != nil
        return page(
            "Hello, \(account.name ?? "stranger")",
            """
            <p class="faint">Signed in with \(view.provider)</p>
            <nav class="tabs" aria-label="Parts of the account">
            \(tabs)\
            <a href="/flows/\(id)">Sign-in steps</a>
            </nav>
            <section class="card">
            \(card)\
            </section>
            <h2>Tokens</h2>
            \(if: isRefreshable, refresh)\
            \(if: !isRefreshable, "<p>There is no refresh token: the tokens cannot be refreshed.</p>")
            <h2>Sign out</h2>
            <form class="row" method="post" action="/sign-out">
            <input type="hidden" name="connection" value="\(account.storeName)">
            <label for="extent">Sign out of</label>
            <select id="extent" name="extent">
            <option value="local">this site</option>
            <option value="revoke">this site, and revoke the tokens</option>
            <option value="everywhere">this site and the provider</option>
            </select>
            <button>Sign out</button>
            </form>

            """)
    }

    private func profile(_ view: AccountView) -> HTML {
        """
        <h2>Profile</h2>
        \(view.profile?.failure.map { "<p role=\"alert\">\($0)</p>" })
        <div class="person">
        \(view.profile?.picture.map { "<img src=\"\($0.source)\" alt=\"The picture in the profile\">" })
        \(list(view.profile?.rows ?? []))\
        </div>

        """
    }

    private func token(_ view: AccountView) -> HTML {
        let opaque: HTML = "<p>This access token is opaque: only the provider can read it.</p>"
        let rows: HTML? = view.tokenRows.map { rows in
            """
            <p><strong>Not verified</strong>: only the resource server validates an access token.</p>
            \(list(rows))\
            <details><summary>As JSON</summary><pre>\(view.tokenText ?? "")</pre></details>

            """
        }
        return """
            <h2>\(view.tab == .header ? "Header" : "Payload") of the access token</h2>
            \(if: rows == nil, opaque)
            \(rows)
            """
    }

    private func list(_ rows: [AccountView.Row]) -> HTML {
        let items: [HTML] = rows.map { row in
            let time: HTML? = row.time.map { " <span class=\"faint\">\($0)</span>" }
            return "<dt>\(row.name)</dt><dd>\(row.value)\(time)</dd>\n"
        }
        return """
            <dl>
            \(items)\
            </dl>

            """
    }

    private func resources(_ view: AccountView) -> HTML {
        let id = view.visit.account.provider.rawValue
        let response: HTML? = view.response.map { response in
            """
            <section class="card" role="status">
            <h3>\(response.title): \(response.status)</h3>
            <pre>\(response.text)</pre>
            </section>

            """
        }
        let items: [HTML] = view.resources.enumerated().map { number, access in
            let (title, missing) = (access.resource.title, access.missing.joined(separator: " "))
            let form: HTML = """
                <form method="post" action="/accounts/\(id)/resources/\(number)\
                \(view.visit.query)"><button>\(title)</button></form>

                """
            return """
                <li>
                <h3>\(title)</h3>
                <p class="faint"><code>\(access.resource.method.rawValue) \(access.resource.url)</code></p>
                \(if: access.isOpen, form)\
                \(if: !access.isOpen, "<p>Not granted: <code>\(missing)</code></p>")
                </li>

                """
        }
        return """
            <h2>Resources</h2>
            <p>Granted scopes: <code>\(view.tokens.scopes.joined(separator: " "))</code></p>
            \(response)\
            \(if: view.resources.isEmpty, "<p>The descriptor has no resources.</p>")
            <ul class="cards">
            \(items)\
            </ul>
            \(if: !view.wanted.isEmpty, request(view.wanted, of: id))
            """
    }

    private func request(_ scopes: [String], of id: String) -> HTML {
        """
        <form method="post" action="/sign-in/\(id)">
        <input type="hidden" name="return_to" value="/accounts/\(id)?tab=resources">
        <input type="hidden" name="consent" value="1">
        \(scopes.map { "<input type=\"hidden\" name=\"scope\" value=\"\($0)\">" })
        <button class="brand brand-\(id)">Request these scopes</button>
        </form>

        """
    }
}

extension DemoSite.Visit {
    /// The query that names the account where its provider does not.
    fileprivate var query: HTML { "\(if: isOther, "?account=\(account.storeName)")" }
}
