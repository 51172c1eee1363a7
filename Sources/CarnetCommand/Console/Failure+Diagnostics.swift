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
            let lines = reporter.render(diagnostic) { $0 == file.path ? text : nil }
            for line in lines.split(separator: "\n") { console.note(String(line)) }
        }
        self.init(.usage, "\(file.path) has errors", next: ["fix the errors above"])
    }

    /// A clients file that cannot be used. Its lines are not shown: they hold secrets.
    init(clientsFile: ClientsFile, _ console: Console) {
        for diagnostic in clientsFile.diagnostics {
            let help = diagnostic.help.map { "; \($0)" } ?? ""
            console.note((diagnostic.description + help).printable)
        }
        self.init(.usage, "\(clientsFile.file.path) has errors", next: ["fix the errors above"])
    }
}
