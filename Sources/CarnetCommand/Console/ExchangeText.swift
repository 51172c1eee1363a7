import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// A request without its secrets: one of the engine's, or a page that the browser goes to.
struct ShownRequest: Sendable {
    let method: String
    let url: String
    let headers: [Named<String>]
    let body: String

    init(_ request: RedactedRequest) {
        method = request.method
        url = request.url
        headers = request.headers
        body = request.body
    }

    init(page url: String) {
        method = "GET"
        self.url = url
        headers = []
        body = ""
    }

    /// A form that a page posts.
    init(postedTo url: String, form: String) {
        method = "POST"
        self.url = url
        headers = [Named("Content-Type", "application/x-www-form-urlencoded")]
        body = form
    }
}

/// Requests and responses for people: `>` what was sent, `<` what came back, a parameter a line.
struct ExchangeText {
    /// Says how a string looks; the channel decides whether there are colours.
    let paint: (String, TextStyle) -> String

    func lines(_ request: ShownRequest) -> [String] {
        let parts = request.url.split(separator: "?", maxSplits: 1).map(String.init)
        var lines = [paint(request.method, .strong) + " " + paint(parts[0].printable, .place)]
        if parts.count == 2 { lines += Self.parameters(parts[1], first: "?").map { "    " + $0 } }
        lines += request.headers.map { "\(paint($0.name.printable + ":", .faint)) \($0.value.printable)" }
        if !request.body.isEmpty { lines += [""] + body(request.body, isForm: isForm(request)) }
        return lines.map { prefixed(">", $0) }
    }

    func lines(_ response: RedactedResponse) -> [String] {
        let style: TextStyle = (200..<400).contains(response.status) ? .success : .failure
        let type = response.contentType.map { " " + paint($0.printable, .faint) } ?? ""
        var lines = [paint(String(response.status), style) + type]
        if !response.body.isEmpty { lines += body(response.body, isForm: false).map(Self.shortened) }
        return lines.map { prefixed("<", $0) }
    }

    private func prefixed(_ mark: String, _ line: String) -> String {
        paint(mark, .faint) + (line.isEmpty ? "" : " " + line)
    }

    private func isForm(_ request: ShownRequest) -> Bool {
        request.headers.contains { $0.name == "Content-Type" && $0.value.hasSuffix("form-urlencoded") }
    }

    private func body(_ text: String, isForm: Bool) -> [String] {
        if isForm { return Self.parameters(text, first: "") }
        guard let json = try? JSONValue(parsing: text) else { return text.printableLines }
        return json.jsonText(.indented).printableLines
    }

    /// Keys and the like are long, and nobody reads them to their end.
    private static func shortened(_ line: String) -> String {
        line.count <= maximumWidth ? line : line.prefix(maximumWidth - 1) + "…"
    }

    private static let maximumWidth = 92

    private static func parameters(_ text: String, first: String) -> [String] {
        text.split(separator: "&", omittingEmptySubsequences: false).enumerated().map { index, pair in
            (index == 0 ? first : "&") + String(pair).printable
        }
    }
}
