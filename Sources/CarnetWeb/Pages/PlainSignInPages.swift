import Crypto
import Foundation

/// Pages without script, readable on a phone, by a screen reader, and in the dark.
public struct PlainSignInPages: SignInPages {
    public init() {}

    public var contentSecurityPolicy: String {
        let hash = Data(SHA256.hash(data: Array(Self.style.utf8))).base64EncodedString()
        return "default-src 'none'; style-src 'sha256-\(hash)'; base-uri 'none'; frame-ancestors 'none'"
    }

    public func choice(_ page: SignInChoice) -> String {
        let signedIn = page.session?.account().map {
            "<p>You are signed in as \(Self.escape($0.name ?? "a user")).</p>"
        }
        let forms = page.providers.map { Self.form($0, "Sign in with \($0.name)", page.returnTo) }
        return Self.page("Sign in", (signedIn ?? "") + forms.joined(separator: "\n"))
    }

    public func problem(_ problem: SignInProblem, _ page: SignInChoice) -> String {
        let retry = page.providers.first { $0.id == problem.provider }
            .map { Self.form($0, "Try again with \($0.name)", problem.returnTo) }
        return Self.page(
            problem.title,
            """
            <p role="alert">\(Self.escape(problem.advice))</p>
            \(retry ?? "")
            <p><a href="\(Self.escape(problem.returnTo.path))">Go on without signing in</a></p>
            <p><small>Reference: \(Self.escape(problem.id))</small></p>
            """
        )
    }

    private static func form(_ choice: SignInChoice.Choice, _ label: String, _ returnTo: ReturnTarget) -> String {
        """
        <form method="post" action="\(escape(choice.action))">
        <input type="hidden" name="return_to" value="\(escape(returnTo.path))">
        <button>\(escape(label))</button>
        </form>
        """
    }

    private static func page(_ title: String, _ content: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(escape(title))</title>
        <style>\(style)</style>
        </head>
        <body>
        <main>
        <h1>\(escape(title))</h1>
        \(content)
        </main>
        </body>
        </html>

        """
    }

    private static let style = """
        :root { color-scheme: light dark; }
        body { font: 1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 2rem auto; padding: 0 1rem; }
        button { font: inherit; width: 100%; padding: .75rem 1rem; margin: .25rem 0; }
        """

    static func escape(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
    }
}
