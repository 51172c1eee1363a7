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
        var members: JSONValue = [
            "code": .string(diagnostic.code),
            "severity": .string(diagnostic.severity.rawValue),
            "message": .string(diagnostic.message),
            "file": .string(diagnostic.file),
        ]
        for (name, value) in places(diagnostic.span) { members.set(value, at: JSONPointer(tokens: [name])) }
        members.set(diagnostic.help.map(JSONValue.string) ?? .null, at: JSONPointer(tokens: ["help"]))
        members.set(diagnostic.fix.map(json) ?? .null, at: JSONPointer(tokens: ["fix"]))
        return members
    }

    private func json(_ fix: Fix) -> JSONValue {
        [
            "summary": .string(fix.summary),
            "applicability": .string(fix.applicability.rawValue),
            "edits": .array(
                fix.edits.map { edit in
                    var members: JSONValue = .object(JSONObject())
                    for (name, value) in places(edit.span) { members.set(value, at: JSONPointer(tokens: [name])) }
                    members.set(.string(edit.replacement), at: JSONPointer(tokens: ["replacement"]))
                    return members
                }
            ),
        ]
    }

    private func places(_ span: SourceSpan) -> [(String, JSONValue)] {
        [
            ("line", .number(String(span.start.line))),
            ("column", .number(String(span.start.column))),
            ("end_line", .number(String(span.end.line))),
            ("end_column", .number(String(span.end.column))),
        ]
    }
}
