/// A page that the browser shows after a request to the loopback port. All pages are fixed strings without parts of
/// the request.
enum CallbackPage: CaseIterable {
    /// The callback arrived. The application shows whether the sign-in succeeded.
    case received
    /// The callback says that the user or the server denied access.
    case declined
    /// The callback belongs to another sign-in.
    case refused
    case badRequest
    case notFound
    case methodNotAllowed

    private var content: (status: Int, title: String, advice: String) {
        let close = "You can close this page."
        return switch self {
        case .received:
            (200, "You can go back to the application", "The application has received the response. \(close)")
        case .declined: (200, "Sign-in did not complete", "The application shows the reason. \(close)")
        case .refused:
            (
                400, "This page belongs to another sign-in",
                "The application still waits. Go back to the page that it opened."
            )
        case .badRequest: (400, "This request is invalid", close)
        case .notFound: (404, "Page not found", close)
        case .methodNotAllowed: (405, "This method is not allowed", close)
        }
    }

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head><meta charset="utf-8"><title>\(content.title)</title><style>\(Self.style)</style></head>
        <body><main><h1>\(content.title)</h1><p>\(content.advice)</p></main></body>
        </html>

        """
    }

    static let style =
        ":root{color-scheme:light dark;font-family:system-ui,sans-serif}main{max-width:32rem;margin:20vh auto}"
    /// Base64 of the style's SHA-256 (Content Security Policy Level 3, 2.3.1).
    static let styleHash = "XvJjwtMF/9DL+LUyJfat/qquN/2HcRVpNTAXoeiQa/k="

    /// - Parameter target: Where the browser goes instead of seeing the page.
    func response(redirectingTo target: String? = nil) -> LoopbackResponse {
        let html = target == nil ? html : ""
        var fields = [
            (name: "Content-Type", value: "text/html; charset=utf-8"), ("Content-Length", String(html.utf8.count)),
            ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"),
            (
                "Content-Security-Policy",
                "default-src 'none'; style-src 'sha256-\(Self.styleHash)'; base-uri 'none'; "
                    + "form-action 'none'; frame-ancestors 'none'"
            ),
            ("X-Content-Type-Options", "nosniff"), ("Connection", "close"),
        ]
        if self == .methodNotAllowed { fields.append(("Allow", "GET")) }
        if let target { fields.append(("Location", target)) }
        return LoopbackResponse(status: target == nil ? content.status : 303, fields: fields, body: html)
    }
}
