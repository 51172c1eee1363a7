import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

/// The parts of the sandbox's pages, and what is read of a page that was made here.
enum HTMLPage {
    /// The style sheet of a page; one brand's pages have its colour.
    static func style(_ color: BrandColor?) -> HTML {
        """
        :root { color-scheme: light dark; --line: light-dark(#767676, #8d8d8d);
                --brand: \(color?.description ?? "light-dark(#444444, #bbbbbb)"); }
        * { box-sizing: border-box; }
        body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; padding: 1rem; overflow-wrap: anywhere;
               background: light-dark(#f4f4f5, #121214); color: light-dark(#1a1a1a, #ececec); }
        main { max-width: 36rem; margin: 1rem auto; padding: .5rem 1.5rem 1.5rem; border: 1px solid var(--line);
               border-top: .5rem solid var(--brand); border-radius: .75rem; background: light-dark(#fff, #1d1d20); }
        h1 { font-size: 1.5rem; line-height: 1.25; }
        fieldset { margin: 1rem 0; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .5rem; }
        legend { font-weight: 600; padding: 0 .25rem; }
        label { display: flex; gap: .6rem; align-items: baseline; padding: .3rem 0; }
        label.above { display: block; font-weight: 600; }
        select { font: inherit; width: 100%; padding: .5rem; margin-top: .25rem; }
        button, input[type=text], input:not([type]) { font: inherit; min-height: 2.75rem; padding: .5rem 1.25rem; }
        button { margin: .5rem .5rem 0 0; border: 1px solid var(--line); border-radius: .5rem; cursor: pointer; }
        :focus-visible { outline: 3px solid light-dark(#0645ad, #8ab4f8); outline-offset: 2px; }
        """
    }

    /// Nothing runs, and nothing is loaded, but for the page's own style sheet.
    static func contentSecurityPolicy(_ style: HTML, framing origin: String?) -> String {
        let hash = Data(SHA256.hash(data: Array(style.text.utf8))).base64EncodedString()
        let frames = origin.map { "; frame-src \($0)" } ?? ""
        return "default-src 'none'; style-src 'sha256-\(hash)'; frame-ancestors 'none'; base-uri 'none'\(frames)"
    }

    private static let formStart: HTML = "<form method=\"post\" action=\""

    /// A form that goes to a client (OAuth 2.0 Form Post Response Mode).
    static func form(_ fields: [(name: String, value: String)], to url: String) -> HTML {
        let inputs: [HTML] = fields.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">\n" }
        return """
            \(formStart)\(url)">
            \(inputs)\
            <button type="submit">Continue</button>
            </form>
            """
    }

    /// Such a form in a page, encoded; `nil` for any other page.
    static func form(in html: String) -> (url: String, body: String)? {
        guard let url = attribute(after: formStart.text, in: html) else { return nil }
        let fields = html[url.endIndex...].split(separator: "<input type=\"hidden\" name=\"").dropFirst().map { part in
            let values = part.split(separator: "\"", omittingEmptySubsequences: false)
            return (name: unescape(values[0]), value: unescape(values.count > 2 ? values[2] : ""))
        }
        return (unescape(url), PercentEncoding.encode(fields))
    }

    /// The value of a hidden field.
    static func value(of field: String, in html: String) -> String? {
        attribute(after: "name=\"\(field)\" value=\"", in: html).map { String($0) }
    }

    private static func attribute(after start: String, in html: String) -> Substring? {
        guard let start = html.firstRange(of: start)?.upperBound, let end = html[start...].firstIndex(of: "\"")
        else { return nil }
        return html[start..<end]
    }

    /// What a person reads on a page; any other text as it is.
    static func text(of html: String) -> String {
        guard let start = html.firstRange(of: "<main>")?.upperBound,
            let end = html.firstRange(of: "</main>")?.lowerBound,
            start < end
        else { return html }
        var text = ""
        var isTag = false
        for character in html[start..<end] {
            switch character {
            case "<": isTag = true
            case ">": isTag = false
            default: if !isTag { text.append(character) }
            }
        }
        return unescape(text[...]).split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    private static func unescape(_ text: Substring) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
            .reduce(String(text)) { $0.replacing($1.0, with: $1.1) }
    }
}
