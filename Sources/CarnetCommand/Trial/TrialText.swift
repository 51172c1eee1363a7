import CarnetDemo
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

/// A trial for people, step by step.
struct TrialText {
    let console: Console
    private let exchanges: ExchangeText
    private let width: Int

    /// - Parameter columns: The width of the terminal; `nil` for a file or a pipe.
    init(_ console: Console, columns: Int?) {
        self.console = console
        width = min(Self.usualWidth, columns ?? Self.usualWidth)
        exchanges = ExchangeText(
            paint: console.paint, maximumWidth: columns.map { max(20, $0 - Self.margin) } ?? Self.maximumBodyWidth)
    }

    func printHead(_ setup: TrialSetup) {
        let client = setup.client.registration
        let method = client.clientSecret == nil ? "without a secret" : "with a test secret"
        console.print(
            console.paint(setup.provider.name.printable, .strong)
                + ", simulated by the sandbox: no browser, no network, no account")
        var rows = [
            ["descriptor", setup.entry.document.file.path.printable],
            ["client id", "\(client.clientID), \(method)"],
            ["redirect URI", client.redirectURI.printable],
        ]
        if let remark = RedirectURI.remark(on: client.redirectURI) { rows.append(["", "warning: \(remark) [C014]"]) }
        for (name, value) in setup.provider.inputs.sorted(by: { $0.key < $1.key }) {
            let isExample = setup.examples.contains { $0.name == name }
            rows.append(["input", "\(name) = \(value.printable)" + (isExample ? "  (example)" : "")])
        }
        printRows(rows)
    }

    func show(_ step: TrialStep, number: Int) {
        let (mark, style): (String, TextStyle) =
            switch step.outcome {
            case .passed: ("ok", .success)
            case .skipped: ("skipped", .faint)
            case .failed: ("failed", .failure)
            }
        let title = "\(number < 10 ? " " : "")\(number)  \(step.title.printable)"
        let space = String(repeating: " ", count: max(2, width - TerminalText.width(title) - mark.count))
        console.print()
        console.print(console.paint(title, .strong) + space + console.paint(mark, style))
        for (index, exchange) in step.exchanges.enumerated() {
            if index > 0 { console.print() }
            let lines = exchanges.lines(exchange.request) + (exchange.response.map(exchanges.lines) ?? [])
            for line in lines { console.print("    " + line) }
        }
        printRows(step.findings.map { [$0.name, $0.value.printable] })
        switch step.outcome {
        case .passed: break
        case .skipped(let reason): console.print("    " + reason.printable)
        case .failed(let failure):
            for line in failure.lines(console.paint) { console.print("    " + line) }
        }
    }

    func printSummary(_ result: TrialResult, of setup: TrialSetup) {
        func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
        let counts = "\(count(result.stepCount, "step")), \(count(result.requestCount, "request"))"
        console.print()
        guard !result.hasFailed else {
            return console.print(
                console.paint("\(setup.provider.name.printable) does not work yet", .failure) + " (\(counts))")
        }
        let guesses = setup.guesses
        let isOfEndpoint = guesses.contains(where: Self.endpoints.contains)
        let remark = guesses.isEmpty ? "" : isOfEndpoint ? " with the guessed endpoints" : " with guessed values"
        let verdict = result.requestCount == 0 ? "was not tried" : "works\(remark)"
        console.print(console.paint("\(setup.provider.name.printable) \(verdict)", .success) + " (\(counts))")
        func rows(_ name: String, _ texts: [String]) -> [[String]] {
            texts.enumerated().map { [$0.offset == 0 ? name : "", $0.element] }
        }
        let profile = result.profile.map { "\($0.name) \(($0.value.scalarText ?? $0.value.jsonText()).printable)" }
        let closed = result.resources.filter { !$0.isOpen }.map {
            ["closed", "\($0.resource.title.printable), which needs \($0.missing.joined(separator: " ").printable)"]
        }
        let advice = "compare them with the provider's documentation, and remove the comments"
        printRows(
            rows("granted", [result.granted.isEmpty ? "none" : result.granted.joined(separator: " ").printable])
                + rows("profile", profile)
                + rows("opens", result.resources.filter(\.isOpen).map(\.resource.title.printable)) + closed
                + rows("guessed", guesses.isEmpty ? [] : [guesses.joined(separator: ", ").printable, advice])
                + rows("simulated", setup.assumptions(of: result)))
    }

    private static let endpoints = ["authorization", "token", "userinfo"]
    private static let usualWidth = 80
    private static let maximumBodyWidth = 92
    /// The columns before a line of a body.
    private static let margin = 6

    private func printRows(_ rows: [[String]]) {
        let width = rows.map { $0[0].count }.max() ?? 0
        for row in rows { console.print("    " + console.paint(row[0].padded(to: width), .faint) + "  " + row[1]) }
    }
}
