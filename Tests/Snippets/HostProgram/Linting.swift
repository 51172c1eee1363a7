import CarnetLint
import Foundation

/// The findings in a descriptor as `carnet lint` prints them; `nil` if none is an error.
func lintErrors(inFile path: String) throws -> String? {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let report = Linter().lint(files: [SourceFile(path: path, text: text)])
    guard report.diagnostics.contains(where: { $0.severity == .error }) else { return nil }
    return report.rendered(as: .text)
}
