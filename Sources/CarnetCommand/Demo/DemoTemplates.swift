/// The templates of the demonstration's pages.
enum DemoTemplates {
    static let layout = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>{{title}}</title>
        <link rel="stylesheet" href="/style.css">
        </head>
        <body>
        <header><nav aria-label="Site"><a href="/">Providers</a> · <a href="/descriptor">Try a descriptor</a></nav></header>
        <main>
        <h1>{{title}}</h1>
        {{{content}}}
        </main>
        </body>
        </html>

        """

    static let contents = [
        "home": home, "account": account, "flow": flow, "descriptor": descriptor, "choice": choice,
        "failure": "<p role=\"alert\">{{text}}</p>\n<p><a href=\"{{back}}\">Back</a></p>\n",
    ]

    private static let home = """
        {{#hasAccounts}}
        <h2>Signed in</h2>
        <ul>
        {{#accounts}}
        <li><a href="/accounts/{{provider}}">{{name}} at {{provider}}</a></li>
        {{/accounts}}
        </ul>
        {{/hasAccounts}}
        <form role="search" action="/">
        <label for="q">Find a provider</label>
        <input id="q" name="q" type="search" value="{{query}}"> <button>Search</button>
        </form>
        <ul class="cards">
        {{#providers}}
        <li>
        <h2>{{name}}</h2>
        <p>{{#sandboxed}}In a sandbox: no account is needed.{{/sandboxed}}{{^sandboxed}}The real one.{{/sandboxed}}</p>
        <form method="post" action="/sign-in/{{id}}">
        <input type="hidden" name="return_to" value="/accounts/{{id}}">
        <button>Sign in with {{name}}</button>
        </form>
        </li>
        {{/providers}}
        </ul>
        {{#none}}<p role="status">No provider is called that.</p>{{/none}}

        """

    private static let account = """
        <nav class="tabs" aria-label="Parts of the account">
        {{#tabs}}
        <a href="/accounts/{{id}}?tab={{tab}}"{{#current}} aria-current="page"{{/current}}>{{label}}</a>
        {{/tabs}}
        <a href="/accounts/{{id}}/flow">How it went</a>
        </nav>
        {{#isProfile}}
        <h2>Profile</h2>
        {{#failure}}<p role="alert">{{failure}}</p>{{/failure}}
        <dl>
        {{#claims}}
        <dt>{{name}}</dt><dd>{{value}}</dd>
        {{/claims}}
        </dl>
        {{/isProfile}}
        {{#isToken}}
        <h2>The access token</h2>
        {{#opaque}}<p>This access token is opaque: only the provider can read it.</p>{{/opaque}}
        {{^opaque}}
        <p><strong>Not verified here</strong>: an access token is for the resource server to judge.</p>
        <dl>
        {{#rows}}
        <dt>{{name}}</dt><dd>{{value}}</dd>
        {{/rows}}
        </dl>
        {{/opaque}}
        {{/isToken}}
        {{#isResources}}
        <h2>Resources</h2>
        <p>Granted scopes: <code>{{scopes}}</code></p>
        {{#answer}}
        <section class="answer" aria-live="polite">
        <h3>{{title}}: {{status}}</h3>
        <pre>{{text}}</pre>
        </section>
        {{/answer}}
        <ul class="cards">
        {{#resources}}
        <li>
        <h3>{{title}}</h3>
        {{#open}}
        <form method="post" action="/accounts/{{id}}/resources/{{number}}"><button>{{method}} {{title}}</button></form>
        {{/open}}
        {{^open}}<p>Not granted: <code>{{missing}}</code></p>{{/open}}
        </li>
        {{/resources}}
        </ul>
        {{#hasWanted}}
        <form method="post" action="/sign-in/{{id}}">
        <input type="hidden" name="return_to" value="/accounts/{{id}}?tab=resources">
        <input type="hidden" name="consent" value="1">
        {{#wanted}}<input type="hidden" name="scope" value="{{scope}}">{{/wanted}}
        <button>Ask for more</button>
        </form>
        {{/hasWanted}}
        {{/isResources}}
        <h2>What next</h2>
        {{#refreshable}}
        <form method="post" action="/accounts/{{id}}/refresh"><button>Renew the tokens</button></form>
        {{/refreshable}}
        {{^refreshable}}<p>There is no refresh token: the tokens cannot be renewed.</p>{{/refreshable}}
        <form method="post" action="/sign-out">
        <input type="hidden" name="connection" value="{{connection}}">
        <label for="extent">Sign out</label>
        <select id="extent" name="extent">
        <option value="local">here alone</option>
        <option value="revoke">and revoke the tokens</option>
        <option value="everywhere">everywhere, at the provider too</option>
        </select>
        <button>Sign out</button>
        </form>

        """

    private static let flow = """
        <p><a href="/accounts/{{id}}">Back to the account</a></p>
        {{#none}}<p>Nothing was noted since the program started.</p>{{/none}}
        {{^none}}{{{svg}}}{{/none}}
        {{#steps}}
        <details id="step-{{number}}">
        <summary>{{number}}. {{title}}, shaped by <code>{{key}}</code></summary>
        <h2>Request</h2>
        <pre>{{request}}</pre>
        <h2>Response</h2>
        <pre>{{response}}</pre>
        </details>
        {{/steps}}

        """

    private static let descriptor = """
        <form method="post" action="/descriptor">
        <label for="text">The descriptor, in YAML</label>
        <textarea id="text" name="text" spellcheck="false" autocapitalize="off">{{text}}</textarea>
        <button>Lint it and try it</button>
        </form>
        {{#report}}
        <h2>What lint says</h2>
        <pre role="status">{{findings}}</pre>
        <h2>A sign-in at a sandbox</h2>
        <pre>{{trial}}</pre>
        {{/report}}

        """

    private static let choice = """
        {{#advice}}<p role="alert">{{advice}}</p>{{/advice}}
        {{#cause}}<pre>{{cause}}</pre>{{/cause}}
        {{#providers}}
        <form method="post" action="{{action}}">
        <input type="hidden" name="return_to" value="{{returnTo}}">
        <button>Sign in with {{name}}</button>
        </form>
        {{/providers}}
        <p><a href="/">All providers</a></p>
        {{#reference}}<p><small>Reference: {{reference}}</small></p>{{/reference}}

        """
}
