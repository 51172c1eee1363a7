/// The templates of the demonstration's pages.
enum DemoTemplates {
    static let layout = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>{{title}}</title>
        <link rel="stylesheet" href="/assets/style.css">
        <link rel="icon" href="/assets/icon.svg">
        </head>
        <body>
        <header><nav aria-label="Site">
        <a class="site" href="/"><img src="/assets/icon.svg" alt="">Carnet</a>
        <a href="/">Providers</a>
        <a href="/descriptor">Try a descriptor</a>
        </nav></header>
        <main>
        <h1>{{title}}</h1>
        {{{content}}}
        </main>
        </body>
        </html>

        """

    static let contents = [
        "home": home, "account": account, "flow": flow, "descriptor": descriptor, "choice": choice,
        "findings": findings, "signedOut": signedOut,
        "notFound": "<p>There is no page at this address.</p>\n<p><a href=\"/\">All providers</a></p>\n",
    ]

    private static let home = """
        {{#hasProblems}}
        <section role="alert" aria-labelledby="problems">
        <h2 id="problems">Files with errors. Their last valid versions stay in use.</h2>
        <pre>{{problems}}</pre>
        </section>
        {{/hasProblems}}
        <form class="row" role="search" action="/">
        <label for="q">Find a provider</label>
        <input id="q" name="q" type="search" value="{{query}}"> <button>Search</button>
        </form>
        {{#hasInitials}}
        <nav class="initials" aria-label="Initials">
        {{#initials}}<a href="#{{anchor}}">{{letter}}</a>
        {{/initials}}
        </nav>
        {{/hasInitials}}
        <ul class="cards">
        {{#providers}}
        <li{{#anchor}} id="{{anchor}}"{{/anchor}}>
        <h2>{{name}}</h2>
        {{#accounts}}
        <p>Signed in as <strong>{{who}}</strong></p>
        <div class="row">
        <a class="button" href="/accounts/{{id}}{{#other}}?account={{connection}}{{/other}}">Open\
        <span class="visually-hidden"> {{who}} of {{id}}</span></a>
        <form method="post" action="/sign-out">
        <input type="hidden" name="connection" value="{{connection}}">
        <button>Sign out<span class="visually-hidden"> {{who}} of {{id}}</span></button>
        </form>
        </div>
        {{/accounts}}
        {{^isSignedIn}}
        <p class="faint">{{#sandboxed}}Sandbox: no account needed{{/sandboxed}}\
        {{^sandboxed}}Real provider{{/sandboxed}}</p>
        {{/isSignedIn}}
        <form method="post" action="/sign-in/{{id}}">
        <input type="hidden" name="return_to" value="/accounts/{{id}}">
        {{#isSignedIn}}
        <input type="hidden" name="another" value="1">
        <button>Add an account<span class="visually-hidden"> of {{id}}</span></button>
        {{/isSignedIn}}
        {{^isSignedIn}}<button class="brand brand-{{id}}">Sign in with {{name}}</button>{{/isSignedIn}}
        </form>
        </li>
        {{/providers}}
        </ul>
        {{#none}}<p role="status">No provider has this name.</p>{{/none}}

        """

    private static let account = """
        <p class="faint">Signed in with {{provider}}</p>
        <nav class="tabs" aria-label="Parts of the account">
        {{#tabs}}
        <a href="/accounts/{{id}}?tab={{tab}}{{#other}}&amp;account={{connection}}{{/other}}"\
        {{#current}} aria-current="page"{{/current}}>{{label}}</a>
        {{/tabs}}
        <a href="/flows/{{id}}">Sign-in steps</a>
        </nav>
        <section class="card">
        {{#isProfile}}
        <h2>Profile</h2>
        {{#failure}}<p role="alert">{{failure}}</p>{{/failure}}
        <div class="person">
        {{#picture}}<img src="{{picture}}" alt="The picture in the profile">{{/picture}}
        <dl>
        {{#claims}}
        <dt>{{name}}</dt><dd>{{value}}</dd>
        {{/claims}}
        </dl>
        </div>
        {{/isProfile}}
        {{#isToken}}
        <h2>{{part}} of the access token</h2>
        {{#opaque}}<p>This access token is opaque: only the provider can read it.</p>{{/opaque}}
        {{^opaque}}
        <p><strong>Not verified</strong>: only the resource server validates an access token.</p>
        <dl>
        {{#rows}}
        <dt>{{name}}</dt><dd>{{value}}{{#time}} <span class="faint">{{time}}</span>{{/time}}</dd>
        {{/rows}}
        </dl>
        <details><summary>As JSON</summary><pre>{{json}}</pre></details>
        {{/opaque}}
        {{/isToken}}
        {{#isResources}}
        <h2>Resources</h2>
        <p>Granted scopes: <code>{{scopes}}</code></p>
        {{#response}}
        <section class="card" role="status">
        <h3>{{title}}: {{status}}</h3>
        <pre>{{text}}</pre>
        </section>
        {{/response}}
        {{#noResources}}<p>The descriptor has no resources.</p>{{/noResources}}
        <ul class="cards">
        {{#resources}}
        <li>
        <h3>{{title}}</h3>
        <p class="faint"><code>{{method}} {{url}}</code></p>
        {{#open}}
        <form method="post" action="/accounts/{{id}}/resources/{{number}}\
        {{#other}}?account={{connection}}{{/other}}"><button>{{title}}</button></form>
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
        <button class="brand brand-{{id}}">Request these scopes</button>
        </form>
        {{/hasWanted}}
        {{/isResources}}
        </section>
        <h2>Tokens</h2>
        {{#refreshable}}
        <form method="post" action="/accounts/{{id}}/refresh{{#other}}?account={{connection}}{{/other}}"><button>Refresh the tokens</button></form>
        {{/refreshable}}
        {{^refreshable}}<p>There is no refresh token: the tokens cannot be refreshed.</p>{{/refreshable}}
        <h2>Sign out</h2>
        <form class="row" method="post" action="/sign-out">
        <input type="hidden" name="connection" value="{{connection}}">
        <label for="extent">Sign out of</label>
        <select id="extent" name="extent">
        <option value="local">this site</option>
        <option value="revoke">this site, and revoke the tokens</option>
        <option value="everywhere">this site and the provider</option>
        </select>
        <button>Sign out</button>
        </form>

        """

    private static let flow = """
        {{#isSignedIn}}<p><a href="/accounts/{{id}}">Back to the account</a></p>{{/isSignedIn}}
        {{#none}}<p>This browser has not begun a sign-in with this provider since the program started.</p>{{/none}}
        {{^none}}<div class="scroll" role="region" aria-label="Sequence diagram" tabindex="0">{{{svg}}}</div>{{/none}}
        {{#steps}}
        <details>
        <summary>{{number}}. {{title}}, controlled by <code>{{key}}</code></summary>
        <h2 id="step-{{number}}">Request</h2>
        <pre>{{request}}</pre>
        <h2>Response</h2>
        <pre>{{response}}</pre>
        </details>
        {{/steps}}

        """

    private static let descriptor = """
        <form id="descriptor" method="post" action="/descriptor">
        <label for="text">The descriptor, in YAML</label>
        <textarea id="text" name="text" spellcheck="false" autocapitalize="off" rows="12">
        {{text}}</textarea>
        <p><button>Try it in a sandbox</button></p>
        </form>
        <section class="card">
        <h2>Lint findings</h2>
        {{{findings}}}
        </section>
        {{#trial}}
        <section id="trial" class="card">
        <h2>Sign-in in a sandbox</h2>
        <p><strong>{{result}}</strong></p>
        <ol>
        {{#steps}}
        <li>{{title}}: {{outcome}}{{#reason}}, {{reason}}{{/reason}}</li>
        {{/steps}}
        </ol>
        </section>
        {{/trial}}
        <script src="/assets/descriptor.js" defer></script>

        """

    private static let findings = """
        <p id="summary" role="status">{{summary}}</p>
        <div id="findings">
        <ul>
        {{#findings}}
        <li class="finding {{severity}}">
        <p><strong>{{severity}}</strong> in <a href="#text" data-line="{{line}}">line {{line}}</a>: {{message}} \
        <code>{{code}}</code></p>
        {{#excerpt}}<pre>{{before}}<mark>{{mark}}</mark>{{after}}</pre>{{/excerpt}}
        {{#help}}<p>{{help}}</p>{{/help}}
        {{#fix}}<p>Fix: {{fix}}</p>{{/fix}}
        </li>
        {{/findings}}
        </ul>
        {{#fixable}}
        <button form="descriptor" name="fix" value="1">Apply safe fixes ({{count}})</button>
        {{/fixable}}
        </div>

        """

    private static let choice = """
        {{#advice}}<p role="alert">{{advice}}</p>{{/advice}}
        {{#cause}}<details><summary>Details</summary><pre>{{cause}}</pre></details>{{/cause}}
        <ul class="cards">
        {{#providers}}
        <li>
        <h2>{{name}}</h2>
        <form method="post" action="{{action}}">
        <input type="hidden" name="return_to" value="{{returnTo}}">
        <button class="brand brand-{{id}}">Sign in with {{name}}</button>
        </form>
        </li>
        {{/providers}}
        </ul>
        {{#flow}}<p><a href="/flows/{{id}}">Sign-in steps</a></p>{{/flow}}
        {{#staying}}<p>Still signed in: <a href="/accounts/{{id}}">{{name}}</a></p>{{/staying}}
        <p><a href="/">All providers</a></p>
        {{#reference}}<p><small>Reference: {{reference}}</small></p>{{/reference}}

        """

    private static let signedOut = """
        {{#none}}<p>No account was signed out.</p>{{/none}}
        {{#departures}}
        <section class="card">
        <h2>{{name}}</h2>
        <ul>
        {{#sentences}}<li>{{text}}</li>{{/sentences}}
        </ul>
        {{#failures}}<p role="alert">{{text}}</p>{{/failures}}
        <form method="post" action="/sign-in/{{id}}">
        <input type="hidden" name="return_to" value="/accounts/{{id}}">
        <button class="brand brand-{{id}}">Sign in with {{name}} again</button>
        </form>
        </section>
        {{/departures}}
        {{#staying}}<p>Still signed in: <a href="/accounts/{{id}}">{{name}}</a></p>{{/staying}}
        <p><a href="/">All providers</a></p>
        {{#reference}}<p><small>Reference: {{reference}}</small></p>{{/reference}}

        """
}
