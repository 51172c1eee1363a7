import CarnetFoundation
import Logging

/// The lines of a log, with their levels.
final class RecordedLines: LogHandler, @unchecked Sendable {
    // Sendable because the one mutable member is behind the mutex; the log handler's settings are constants.
    private let lines = Lock<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    var logger: Logger { Logger(label: "test") { _ in self } }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        let values = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        lines.withLock {
            $0.append("\(event.level): " + ([event.message.description] + values).joined(separator: " "))
        }
    }
}
