import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetLint

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
