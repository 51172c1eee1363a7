import CarnetDescriptors
import CarnetFoundation
import Logging

/// A log that a test can read: each entry with its metadata, in one line.
final class RecordedLog: Sendable {
    private let lines = Lock<[String]>([])

    var entries: [String] { lines.withLock { $0 } }

    var logger: Logger {
        Logger(label: "test") { _ in Handler(log: self) }
    }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let values = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            log.lines.withLock { $0.append(([event.message.description] + values).joined(separator: " ")) }
        }
    }
}
