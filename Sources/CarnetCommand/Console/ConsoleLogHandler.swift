import Logging

/// Writes what a library logs to stderr: the message, then what it is about.
struct ConsoleLogHandler: LogHandler {
    let console: Console
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.notice

    init(_ console: Console) {
        self.console = console
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let about = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
            .map { ($0.key, "\($0.value)") }.filter { !$0.1.isEmpty }
        console.note(([event.message.description] + about.map { "\($0)=\($1)" }).joined(separator: " ").printable)
    }
}
