import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

/// A request without its secrets: one of the engine's, or a page that the browser goes to.
struct ShownRequest: Sendable {
    let method: String
    let url: String
    var headers: [Named<String>] = []
    var body = ""

    /// The value of a parameter: of the query, or of the body, which is a form or JSON.
    func value(of parameter: String) -> String? {
        if let json = try? JSONValue(parsing: body) { return json[parameter]?.string }
        return (url + "&" + body).split { "?&".contains($0) }.first { $0.hasPrefix(parameter + "=") }
            .map { String($0.dropFirst(parameter.count + 1)) }
    }
}

extension ShownRequest {
    init(_ request: RedactedRequest) {
        self.init(method: request.method, url: request.url, headers: request.headers, body: request.body)
    }

    init(page url: String) {
        self.init(method: "GET", url: url)
    }

    init(revealing request: OutgoingRequest) {
        let head = request.head
        self.init(
            method: head.method.rawValue,
            url: "\(head.scheme ?? "https")://\(head.authority ?? "")\(head.path ?? "/")",
            headers: head.headerFields.map { Named($0.name.rawName, $0.value) },
            body: String(decoding: request.body, as: UTF8.self))
    }

    /// A form that a page posts.
    init(postedTo url: String, form: String) {
        let type = Named("Content-Type", "application/x-www-form-urlencoded")
        self.init(method: "POST", url: url, headers: [type], body: form)
    }
}

/// A response as it is shown, without its secrets unless they are a sandbox's own.
struct ShownResponse: Sendable {
    let status: Int
    let contentType: String?
    let body: String

    init(_ response: RedactedResponse) {
        (status, contentType, body) = (response.status, response.contentType, response.body)
    }

    init(revealing response: IncomingResponse) {
        (status, contentType) = (response.status, response.head.headerFields[.contentType])
        body = String(decoding: response.body, as: UTF8.self)
    }
}

/// Requests and responses for people: `>` what was sent, `<` what came back, a parameter a line.
struct ExchangeText {
    /// Says how a string looks; the channel decides whether there are colours.
    let paint: (String, TextStyle) -> String
    /// How long a line of a body may be.
    var maximumWidth = 92

    func lines(_ request: ShownRequest) -> [String] {
        let parts = request.url.split(separator: "?", maxSplits: 1).map(String.init)
        var lines = [paint(request.method, .strong) + " " + paint(parts[0].printable, .place)]
        if parts.count == 2 { lines += Self.parameters(parts[1], first: "?").map { "    " + $0 } }
        lines += request.headers.map { "\(paint($0.name.printable + ":", .faint)) \($0.value.printable)" }
        let isForm = request.headers.contains { $0.name == "Content-Type" && $0.value.hasSuffix("form-urlencoded") }
        if !request.body.isEmpty { lines += [""] + body(request.body, isForm: isForm) }
        return lines.map { prefixed(">", $0) }
    }

    func lines(_ response: ShownResponse) -> [String] {
        let style: TextStyle = (200..<400).contains(response.status) ? .success : .failure
        let type = response.contentType.map { " " + paint($0.printable, .faint) } ?? ""
        var lines = [paint(String(response.status), style) + type]
        if !response.body.isEmpty { lines += body(response.body, isForm: false).map(shortened) }
        return lines.map { prefixed("<", $0) }
    }

    private func prefixed(_ mark: String, _ line: String) -> String {
        paint(mark, .faint) + (line.isEmpty ? "" : " " + line)
    }

    private func body(_ text: String, isForm: Bool) -> [String] {
        if isForm { return Self.parameters(text, first: "") }
        guard let json = try? JSONValue(parsing: text) else { return text.printableLines }
        return json.jsonText(.indented).printableLines
    }

    /// Keys and the like are long, and nobody reads them to their end.
    private func shortened(_ line: String) -> String {
        line.count <= maximumWidth ? line : line.prefix(maximumWidth - 1) + "…"
    }

    private static func parameters(_ text: String, first: String) -> [String] {
        text.split(separator: "&", omittingEmptySubsequences: false).enumerated().map { index, pair in
            (index == 0 ? first : "&") + String(pair).printable
        }
    }
}

/// Prints every exchange to stderr, for `-v`.
struct VerboseObserver: ExchangeObserver {
    let console: Console

    private var text: ExchangeText { ExchangeText(paint: console.paintError) }

    func willSend(_ request: RedactedRequest, step: OAuthError.Step) {
        console.note(console.paintError("# \(step.rawValue)", .strong))
        for line in text.lines(ShownRequest(request)) { console.note(line) }
    }

    func didReceive(_ response: RedactedResponse, step: OAuthError.Step) {
        for line in text.lines(ShownResponse(response)) { console.note(line) }
    }
}
