import Carnet
import CarnetProtocol

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
