import CarnetDescriptors
import CarnetFoundation
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
        let fields = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
        guard !console.isJSON else {
            return console.note(
                json: JSONObject(Self.shown(fields).map { Named($0.key, .string($0.value)) }),
                event.message.description, level: event.level.rawValue)
        }
        console.note(Self.line(event.message.description, fields))
    }

    static func line(_ message: String, _ fields: [String: String]) -> String {
        ([message] + shown(fields).map { "\($0.key)=\(value($0.value))" }).joined(separator: " ").printable
    }

    private static func shown(_ fields: [String: String]) -> [(key: String, value: String)] {
        fields.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty }
    }

    /// A value that has a separator of the line, in quotation marks: no value looks as another field.
    private static func value(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy {
            (0x21...0x10FFFF).contains($0.value) && !["=", "\"", "\\", "\u{7F}"].contains($0)
                && !$0.properties.isWhitespace
        }
        guard !isPlain else { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
