import CarnetDescriptors
import CarnetFoundation

extension HTMLPage {
    private static let formStart: HTML = "<form method=\"post\" action=\""

    /// A page whose form goes to a client (OAuth 2.0 Form Post Response Mode).
    static func posting(_ fields: [(name: String, value: String)], to url: String) -> HTMLPage {
        let inputs: [HTML] = fields.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">\n" }
        return HTMLPage(
            title: "Back to the client",
            content: """
                \(formStart)\(url)">
                \(inputs)\
                <button type="submit">Continue</button>
                </form>
                """
        )
    }

    /// The form of such a page, encoded; `nil` for any other page.
    static func form(in html: String) -> (url: String, body: String)? {
        guard let start = html.firstRange(of: formStart.text)?.upperBound,
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
