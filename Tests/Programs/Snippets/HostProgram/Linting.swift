import CarnetLint
import Foundation

/// The errors in a descriptor.
func lintErrors(inFile path: String) throws -> [Diagnostic] {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    return Linter().diagnostics(in: [SourceFile(path: path, text: text)]).filter { $0.severity == .error }
}
