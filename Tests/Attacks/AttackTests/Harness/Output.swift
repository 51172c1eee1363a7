import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import Logging

/// Collects everything that the engine says: its log at the level trace, and what observers are shown.
final class Output: ExchangeObserver {
    private let lines = Lock<[String]>([])

    var text: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }

    /// Whatever a host could make of a value.
    func hear(_ value: some Any) {
        var dumped = ""
        dump(value, to: &dumped)
        for text in ["\(value)", String(reflecting: value)] + dumped.split(separator: "\n").map(String.init) {
            add(text)
        }
    }

    var logger: Logger {
        var logger = Logger(label: "attack") { _ in Handler(output: self) }
        logger.logLevel = .trace
        return logger
    }

    func willSend(_ request: RedactedRequest, step: OAuthError.Step) { add("\(request)") }

    func didReceive(_ response: RedactedResponse, step: OAuthError.Step) { add("\(response)") }

    private struct Handler: LogHandler {
        let output: Output
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            output.add("\(event.level) \(event.message) \(event.metadata ?? [:]) \(metadata)")
        }
    }
}
