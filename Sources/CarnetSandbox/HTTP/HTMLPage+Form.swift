extension HTMLPage {
    private static let formStart = "<form method=\"post\" action=\""

    /// A page whose form goes to a client (OAuth 2.0 Form Post Response Mode).
    static func posting(_ fields: [(name: String, value: String)], to url: String) -> HTMLPage {
        let inputs = fields.map { field in
            "<input type=\"hidden\" name=\"\(escape(field.name))\" value=\"\(escape(field.value))\">"
        }
        return HTMLPage(
            title: "Back to the client",
            content: "\(formStart)\(escape(url))\">\n\(inputs.joined(separator: "\n"))\n"
                + "<button type=\"submit\">Continue</button>\n</form>"
        )
    }

    /// The form of such a page, encoded; `nil` for any other page.
    static func form(in html: String) -> (url: String, body: String)? {
        guard let start = html.firstRange(of: formStart)?.upperBound,
            let end = html[start...].firstIndex(of: "\"")
        else { return nil }
        let fields = html[end...].split(separator: "<input type=\"hidden\" name=\"").dropFirst().map { part in
            let values = part.split(separator: "\"", omittingEmptySubsequences: false)
            return (name: unescape(values[0]), value: unescape(values.count > 2 ? values[2] : ""))
        }
        return (unescape(html[start..<end]), PercentEncoding.encode(fields))
    }

    private static func unescape(_ text: Substring) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
            .reduce(String(text)) { $0.replacing($1.0, with: $1.1) }
    }
}
