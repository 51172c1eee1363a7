import CarnetDescriptors
import CarnetFoundation

/// For programs: one JSON document, version 1, with lines and columns from 1 and columns in characters.
package struct JSONReporter: Reporter {
    package init() {}

    package func render(_ report: LintReport) -> String {
        let document: JSONValue = [
            "version": 1,
            "diagnostics": .array(report.diagnostics.map(json)),
            "summary": [
                "files": .number(String(report.fileCount)),
                "errors": .number(String(report.errorCount)),
                "warnings": .number(String(report.warningCount)),
                "information": .number(String(report.informationCount)),
                "fixable": .number(String(report.fixableCount)),
            ],
        ]
        return document.jsonText(.indented) + "\n"
    }

    private func json(_ diagnostic: Diagnostic) -> JSONValue {
        let finding: JSONValue = [
            "code": .string(diagnostic.code), "severity": .string(diagnostic.severity.rawValue),
            "message": .string(diagnostic.message), "file": .string(diagnostic.file),
        ]
        return finding.adding(place(diagnostic.span)).adding([
            "help": diagnostic.help.map(JSONValue.string) ?? .null, "fix": diagnostic.fix.map(json) ?? .null,
        ])
    }

    private func json(_ fix: Fix) -> JSONValue {
        [
            "summary": .string(fix.summary), "applicability": .string(fix.applicability.rawValue),
            "edits": .array(fix.edits.map { place($0.span).adding(["replacement": .string($0.replacement)]) }),
        ]
    }

    private func place(_ span: SourceSpan) -> JSONValue {
        [
            "line": .number(String(span.start.line)), "column": .number(String(span.start.column)),
            "end_line": .number(String(span.end.line)), "end_column": .number(String(span.end.column)),
        ]
    }
}
