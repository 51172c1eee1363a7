import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

/// Why a command failed, as it is printed.
struct Failure: Error, CustomStringConvertible {
    struct Detail: Sendable {
        /// The member of the JSON document, and with spaces for underscores the label in the text.
        var name: String
        var text: String
        /// A remark that only the text output has.
        var remark: String?
        /// Whether only the JSON document has it, because the summary says it.
        var isInSummary = false
    }

    var status: ExitStatus
    var summary: String
    var details: [Detail] = []
    var next: [String] = []

    var description: String { summary }

    init(_ status: ExitStatus, _ summary: String, details: [Detail] = [], next: [String] = []) {
        self.status = status
        self.summary = summary
        self.details = details
        self.next = next
    }
}

extension Failure {
    var detailObject: JSONObject { JSONObject(details.map { Named($0.name, .string($0.text)) }) }

    /// The document that `--json` prints for a failure.
    var json: JSONValue {
        let error: JSONObject = ["message": .string(summary)] + detailObject
        return ["version": 1, "error": .object(next.isEmpty ? error : error + ["next": .list(next)])]
    }

    /// The lines for stderr.
    func lines(_ paint: (String, TextStyle) -> String) -> [String] {
        let details = details.filter { !$0.isInSummary }
        let labels = details.map { $0.name.split(separator: "_").joined(separator: " ") }
        let width = (labels + (next.isEmpty ? [] : ["next"])).map(\.count).max() ?? 0
        func row(_ label: String, _ text: String) -> String {
            "  " + paint(label.padded(to: width), .faint) + "  " + text
        }
        var lines = [paint("carnet:", .failure) + " " + summary.printable]
        for (label, detail) in zip(labels, details) {
            let remark = detail.remark.map { paint(" (\($0.printable))", .faint) } ?? ""
            lines.append(row(label, detail.text.printable + remark))
        }
        for (index, line) in next.enumerated() { lines.append(row(index == 0 ? "next" : "", line.printable)) }
        return lines
    }
}

extension Failure {
    /// Describes any error in the same form.
    init(describing error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as NobodySignedIn: self = error.failure
        case let error as OAuthError: self.init(error)
        case let error as ResolutionError: self.init(error, input: nil)
        case let error as UnknownProviderError:
            let url = error.name.utf8.contains(UInt8(ascii: ".")) ? "; if it is a URL, write https://\(error.name)" : ""
            let next =
                error.broken.map { "run carnet lint \($0.shellWord)" } ?? "list them: carnet providers\(url.printable)"
            self.init(.usage, error.description, next: [next])
        case let error as RegistrationError: self.init(.usage, error.reason, next: error.next)
        case let error as VariableError: self.init(.usage, error.reason, next: [error.next()])
        case let error as SourceFileError: self.init(.usage, error.description)
        case let error as TokenStoreError: self.init(error)
        case let error as WritingError: self.init(.usage, error.description, next: error.next)
        case let error as TransportError:
            self.init(.failed, error.description, next: error.hint.map { [$0] } ?? [])
        case is CancellationError: self.init(.interrupted, "interrupted")
        default: self.init(.broken, "an unexpected error: \(error)")
        }
    }

    /// - Parameter words: How this command names what the advice leaves open.
    init(_ error: OAuthError, _ words: OAuthError.Words = OAuthError.Words()) {
        let isUsage = [.badRegistration, .missingClientSecret].contains(error.kind) && error.step == .configuration
        self.init(
            isUsage ? .usage : error.isOfBusyServer ? .busy : .failed, "\(error.step.rawValue): \(error.message)")
        details.append(Detail(name: "step", text: error.step.rawValue, isInSummary: true))
        let texts: [(String, String?)] = [
            ("descriptor_key", error.descriptorKey), ("http_status", error.status.map { String($0) }),
            ("server_error", error.server?.code), ("server_description", error.server?.message),
            ("server_uri", error.server?.uri), ("retry_at", error.retryAt?.formatted(.iso8601)),
            ("explained_by", "carnet explain \(error.kind.rawValue)"),
        ]
        details += texts.compactMap { name, text in text.map { Detail(name: name, text: $0) } }
        if let step = error.next(words) { next.append(step) }
    }

    /// - Parameter input: How to set an input, for an error about one.
    init(_ error: ResolutionError, input: ((String) -> [String])?) {
        self.init(
            .usage, "\(error.provider): \(error.reason)", details: [Detail(name: "descriptor_key", text: error.key)])
        if error.kind == .missingInput, let name = error.key.split(separator: ".").last {
            next = input?(String(name)) ?? ["set it under inputs in the clients file"]
        }
    }

    init(_ error: TokenStoreError) {
        self.init(.broken, "token store: \(error.reason)", details: [Detail(name: "step", text: "storage")])
        if let remedy = error.remedy { next = [remedy] }
    }
}

extension OAuthError {
    /// Whether the server itself said that a later try may succeed.
    fileprivate var isOfBusyServer: Bool {
        [.tooManyRequests, .serverUnavailable].contains(kind)
            || disposition == .tryLater && (retryAt != nil || kind == .serverError)
    }
}

extension Failure {
    /// A descriptor or a resource map that cannot be used. Everything that is wrong with it is printed to stderr as
    /// `carnet lint` prints it.
    init(diagnostics: [Diagnostic], in file: SourceFile, _ console: Console) {
        let reporter = TextReporter(usesColor: console.colorsErrors)
        let text = SourceText(file)
        for diagnostic in diagnostics {
            guard !console.logsJSON else {
                console.note(diagnostic.lineWithHelp, level: diagnostic.level)
                continue
            }
            let lines = reporter.render(diagnostic) { $0 == file.path ? text : nil }
            for line in lines.split(separator: "\n") { console.note(String(line)) }
        }
        self.init(.usage, "\(file.path) has errors", next: ["fix the errors above"])
    }

    /// A clients file that cannot be used. Its lines are not shown: they hold secrets.
    init(clientsFile: ClientsFile, _ console: Console) {
        for diagnostic in clientsFile.diagnostics { console.note(diagnostic.lineWithHelp, level: diagnostic.level) }
        self.init(.usage, "\(clientsFile.file.path) has errors", next: ["fix the errors above"])
    }
}

extension Diagnostic {
    /// One line, with the help.
    var lineWithHelp: String { (description + (help.map { "; \($0)" } ?? "")).printable }

    /// Of an entry of a log.
    var level: String { severity == .error ? "error" : "warning" }
}
