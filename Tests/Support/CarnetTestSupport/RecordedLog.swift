import CarnetFoundation
package import Logging

/// A log that a test can read: each entry with its metadata, in one line.
package final class RecordedLog: LogHandler, @unchecked Sendable {
    // Sendable because the one mutable member is behind the mutex; the log handler's settings are constants.
    private let recorded = Lock<[(level: Logger.Level, text: String)]>([])

    package init() {}

    package var entries: [String] { recorded.withLock { $0.map(\.text) } }
    package var entriesWithLevels: [String] { recorded.withLock { $0.map { "\($0.level): \($0.text)" } } }
    package var logger: Logger { Logger(label: "test") { _ in self } }

    package var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    package var logLevel: Logger.Level {
        get { .trace }
        set {}
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    package func log(event: LogEvent) {
        let values = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let text = ([event.message.description] + values).joined(separator: " ")
        recorded.withLock { $0.append((event.level, text)) }
    }
}
