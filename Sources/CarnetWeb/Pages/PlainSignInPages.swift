import Carnet
import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

/// Pages that work without script, readable on a phone, by a screen reader, and with a dark colour scheme.
package struct PlainSignInPages: SignInPages {
    private let header: HTML?
    private let style: HTML
    private let paths: WebSignIn.Paths?

    /// - Parameters:
    ///   - name: The operator, at the top of each page.
    ///   - color: The background of the name.
    ///   - signOut: The paths of the site, if the pages offer to sign out.
    package init(name: String? = nil, color: BrandColor? = nil, signOut: WebSignIn.Paths? = nil) {
        header = name.map { "<header>\($0)</header>\n" }
        let colors: HTML? = color.map {
            "\nheader { background: \($0.description); color: \($0.textColor); }"
        }
        style = "\(Self.style)\(colors)"
        paths = signOut
    }

    package var contentSecurityPolicy: String {
        func hash(_ text: HTML) -> String {
            "'sha256-\(Data(SHA256.hash(data: Array(text.text.utf8))).base64EncodedString())'"
        }
        return "default-src 'none'; style-src \(hash(style)); script-src \(hash(Self.script)); base-uri 'none'; "
            + "frame-ancestors 'none'"
    }

    /// Adds the fragment of the address, which no server receives, to the page that the forms return to.
    private static let script: HTML = """
        for (const form of document.forms) {
          const target = form.elements.return_to;
          if (target && !target.value.includes("#")) target.value += location.hash.split("\\\\").join("%5C");
        }
        """

    package func choice(_ page: SignInChoice) -> String {
        let signedIn: HTML? = page.session?.account().map { "<p>You are signed in as \($0.name ?? "a user").</p>" }
        let forms: [HTML] = page.providers.map {
            "\(Self.form($0, "Sign in with \($0.name)", page.returnTo, another: page.asksForAnother))\n"
        }
        let signOut: HTML? = signedIn.map { _ in signOutForm(returningTo: page.path, at: page.signOutName) }
        return self.page("Sign in", "\(signedIn)\(forms)\(signOut)<script>\(Self.script)</script>").text
    }

    package func problem(_ problem: SignInProblem, _ page: SignInChoice) -> String {
        let retry = page.providers.first { $0.id == problem.provider }
            .map { Self.form($0, "Try again with \($0.name)", page.returnTo) }
        // A page that offers to sign out belongs to a site where nobody goes on without a sign-in.
        let wayOn =
            page.session?.account().map { "Continue as \($0.name ?? "a user")" }
            ?? (paths == nil ? "Continue without signing in" : nil)
        return self.page(
            problem.title,
            """
            <p role="alert">\(problem.advice)</p>
            \(retry)
            <p><a href="\(page.path)">All sign-in options</a></p>
            \(wayOn.map { "<p><a href=\"\(page.returnTo)\">\($0)</a></p>" as HTML })
            <p><small>Reference: \(problem.id)</small></p>

            """
        ).text
    }

    package func signedOut(_ report: SignOutReport?, _ page: SignInChoice) -> String {
        let reported = report?.sentences ?? []
        let stays = page.session?.account().map { "You are still signed in as \($0.name ?? "a user")." }
        let items: [HTML] = (reported + [stays].compactMap { $0 }).map { "<li>\($0)</li>" }
        let list: HTML = items.isEmpty ? "<p>Nobody is signed in in this browser.</p>" : "<ul>\(items)</ul>"
        return self.page(
            stays == nil ? "You are signed out" : "One account is signed out",
            """
            \(list)
            <p><a href="\(page.returnTo)">Continue</a></p>
            <p><a href="\(page.path)">Sign in again</a></p>
            \(report?.id.map { "<p><small>Reference: \($0)</small></p>" })

            """
        ).text
    }

    private static func form(_ choice: SignInChoice.Choice, _ label: String, _ returnTo: String, another: Bool = false)
        -> HTML
    {
        """
        <form method="post" action="\(choice.action)">
        <input type="hidden" name="return_to" value="\(returnTo)">\
        \(if: another, "<input type=\"hidden\" name=\"another\" value=\"on\">")
        <button>\(choice.color.map(mark))\(label)</button>
        </form>
        """
    }

    /// The brand's colour as a picture, for style attributes are not allowed and the style sheet is for all providers.
    private static func mark(_ color: String) -> HTML {
        """
        <svg viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="5" fill="\(color)"/></svg>
        """
    }

    /// A page that looks like those of the sign-in.
    package func page(_ title: String, _ content: HTML) -> HTML {
        .page(title, head: "<style>\(style)</style>", header: header, content)
    }

    /// Buttons that sign out; empty without `signOut`.
    ///
    /// - Parameter provider: The name of a provider that can end its own session, too.
    package func signOutForm(returningTo path: String, at provider: String? = nil) -> HTML {
        guard let paths else { return "" }
        return """
            <form method="post" action="\(paths.signOut)">
            <input type="hidden" name="return_to" value="\(path)">
            <button>Sign out</button>
            \(provider.map { "<button name=\"extent\" value=\"everywhere\">Also sign out at \($0)</button>" as HTML })
            </form>

            """
    }

    private static let style: HTML = """
        :root { color-scheme: light dark; }
        body { font: 1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 2rem auto; padding: 0 1rem;
               overflow-wrap: anywhere; background: light-dark(#fff, #121214); color: light-dark(#1a1a1a, #ececec); }
        h1 { font-size: 1.75rem; line-height: 1.2; }
        header { font-weight: 700; padding: .75rem 1rem; border-radius: .5rem; }
        a { color: light-dark(#0b4db0, #8ab4f8); }
        button { font: inherit; font-weight: 600; width: 100%; min-height: 3rem; padding: .75rem 1rem; margin: .25rem 0;
                 background: light-dark(#f4f4f5, #2a2a2e); color: inherit;
                 border: 1px solid light-dark(#767676, #8d8d8d); border-radius: .5rem; cursor: pointer; }
        button svg { width: .8em; height: .8em; margin-right: .6em; }
        :focus-visible { outline: 3px solid; outline-offset: 2px; }
        """
}
