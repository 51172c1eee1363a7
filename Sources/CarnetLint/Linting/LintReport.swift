package import CarnetDescriptors

/// All findings, ordered by file, place, code and message.
package struct LintReport: Sendable {
    /// The files that were looked at, so that a reporter can show their lines.
    package private(set) var files: [SourceFile]
    package private(set) var diagnostics: [Diagnostic]
    /// Files that could not be read at all; their findings are among `diagnostics`.
    package private(set) var unreadableCount: Int

    package init(files: [SourceFile], diagnostics: [Diagnostic], unreadable: [SourceFileError] = []) {
        self.files = files
        self.diagnostics = Set(diagnostics + unreadable.map(\.diagnostic)).sorted()
        unreadableCount = unreadable.count
    }

    package mutating func add(_ others: [Diagnostic]) { diagnostics = Set(diagnostics + others).sorted() }

    package var fileCount: Int { files.count + unreadableCount }
    package var errorCount: Int { diagnostics.count { $0.severity == .error } }
    package var warningCount: Int { diagnostics.count { $0.severity == .warning } }
    package var informationCount: Int { diagnostics.count { $0.severity == .information } }
    /// How many findings `--fix` would mend.
    package var fixableCount: Int { diagnostics.count { $0.fix?.applicability == .safe } }
}
