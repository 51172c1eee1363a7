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

    private var status: Int {
        switch self {
        case .received, .declined: 200
        case .refused, .badRequest: 400
        case .notFound: 404
        case .methodNotAllowed: 405
        }
    }

    private var title: String {
        switch self {
        case .received: "You can go back to the application"
        case .declined: "Sign-in did not complete"
        case .refused: "This page belongs to another sign-in"
        case .badRequest: "This request is invalid"
        case .notFound: "Page not found"
        case .methodNotAllowed: "This method is not allowed"
        }
    }

    private var advice: String {
        switch self {
        case .received: "The application has received the response. You can close this page."
        case .declined: "The application shows the reason. You can close this page."
        case .refused: "The application still waits. Go back to the page that it opened."
        case .badRequest, .notFound, .methodNotAllowed: "You can close this page."
        }
    }

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head><meta charset="utf-8"><title>\(title)</title><style>\(Self.style)</style></head>
        <body><main><h1>\(title)</h1><p>\(advice)</p></main></body>
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
        return LoopbackResponse(status: target == nil ? status : 303, fields: fields, body: html)
    }
}
