import Carnet
import CarnetDescriptors
import CarnetFoundation

/// Writes the output to stdout, and notes about the run to stderr.
final class Console: Sendable {
    /// Whether the output is one JSON document.
    let isJSON: Bool
    let isVerbose: Bool
    private let isQuiet: Bool
    /// Whether each note is an entry of a log: a JSON document on one line.
    let logsJSON: Bool
    let usesColor: Bool
    let colorsErrors: Bool
    private let showsProgress: Bool
    private let isOutputLost = Lock(false)
    /// Whether a progress line stands on the terminal.
    private let progress = Lock(false)

    /// - Parameter isLog: Whether the notes are a log, which `--json` makes JSON documents of.
    init(_ options: OutputOptions, environment: HostEnvironment, isLog: Bool = false) {
        logsJSON = isLog && options.json
        isJSON = options.json
        isVerbose = options.verbose
        isQuiet = options.quiet
        usesColor = options.color.allows(OutputChannel.standardOutput, environment)
        colorsErrors = options.color.allows(OutputChannel.standardError, environment)
        showsProgress = OutputChannel.standardError.isTerminal && environment["TERM"] != "dumb"
    }

    // MARK: Output

    /// Prints a line of output; nothing with `--json`.
    func print(_ line: String = "") {
        guard !isJSON else { return }
        print(TerminalLine(line))
    }

    /// Prints the output as a document, only with `--json`.
    func print(json document: @autoclosure () -> JSONObject) {
        guard isJSON else { return }
        print(TerminalLine(.object(["version": 1] + document()), layout))
    }

    /// What collects a log may read stdout with it, by lines.
    private var layout: JSONValue.Layout { logsJSON ? .compact : .indented }

    private func print(_ line: TerminalLine) {
        clearProgress()
        if !line.write(to: .standardOutput) { isOutputLost.withLock { $0 = true } }
    }

    /// Prints bytes as they are: a file, a schema, a report, or a response that does not go to a terminal.
    func print(bytes: [UInt8]) {
        clearProgress()
        if !OutputChannel.standardOutput.write(bytes) { isOutputLost.withLock { $0 = true } }
    }

    /// Whether stdout took all of the output: a full disk must not look like success.
    var isOutputWhole: Bool { !isOutputLost.withLock(\.self) }

    /// Prints every exchange, for `-v`.
    var observer: VerboseObserver? { isVerbose ? VerboseObserver(console: self) : nil }

    func paint(_ text: String, _ style: TextStyle) -> String {
        usesColor ? style.paint(text) : text
    }

    // MARK: Notes

    /// Prints a line about the run.
    ///
    /// - Parameter level: Of the entry, where the notes are a log.
    func note(_ line: String, level: String = "notice") {
        if logsJSON { return note(json: [:], line, level: level) }
        clearProgress()
        TerminalLine(line).write(to: .standardError)
    }

    /// Prints a line that nobody has to act on; nothing with `--quiet`.
    func remark(_ line: String) {
        if !isQuiet { note(line) }
    }

    /// Prints an entry of a log as a document: the time, the level, the message, and what it is about.
    func note(json about: JSONObject, _ message: String, level: String) {
        let entry: JSONObject = [
            "time": .optional(SystemWallClock().now), "level": .string(level), "message": .string(message),
        ]
        TerminalLine(.object(entry + about), .compact).write(to: .standardError)
    }

    func warn(_ line: String, level: String = "warning") {
        note(logsJSON ? line : paintError("carnet: warning:", .warning) + " " + line, level: level)
    }

    /// Prints why something failed.
    func note(_ failure: Failure) {
        guard logsJSON else {
            for line in failure.lines(paintError) { note(line) }
            return
        }
        let next: JSONObject =
            failure.next.isEmpty ? [:] : ["next": .string(failure.next.joined(separator: "; "))]
        note(json: failure.detailObject + next, failure.summary, level: "error")
    }

    func paintError(_ text: String, _ style: TextStyle) -> String {
        colorsErrors ? style.paint(text) : text
    }

    func report(_ failure: Failure) {
        if isJSON, !failure.status.isInterruption {
            TerminalLine(failure.json, layout).write(to: .standardOutput)
        }
        note(failure)
    }

    // MARK: Progress

    /// Shows what is waited for, on a terminal alone.
    func showProgress(_ text: String) {
        guard showsProgress else { return }
        progress.withLock { isShown in
            isShown = true
            TerminalLine(progress: "\(text) ...").write(to: .standardError, terminator: "")
        }
    }

    func clearProgress() {
        progress.withLock { isShown in
            guard isShown else { return }
            isShown = false
            TerminalLine(progress: "").write(to: .standardError, terminator: "")
        }
    }

    func showing<Result>(_ text: String, _ body: () async throws -> Result) async throws -> Result {
        showProgress(text)
        defer { clearProgress() }
        return try await body()
    }
}
