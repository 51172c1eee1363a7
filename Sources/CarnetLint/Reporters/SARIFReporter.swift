import CarnetDescriptors
import CarnetFoundation

/// For code scanning services: SARIF 2.1.0.
package struct SARIFReporter: Reporter {
    private let documentation: String?
    private let others: [DiagnosticExplanation]
    private let linter: Linter

    /// - Parameters:
    ///   - documentation: the URL of the folder with the rules' pages; the pages are in the output in any case.
    ///   - others: Rules about files of other kinds.
    ///   - linter: What the pages show about the examples of the rules.
    package init(documentation: String? = nil, others: [DiagnosticExplanation] = [], linter: Linter = Linter()) {
        self.documentation = documentation
        self.others = others
        self.linter = linter
    }

    package func render(_ report: LintReport) -> String {
        let codes = Set(report.diagnostics.map(\.code)).sorted()
        let rules = codes.map { code in (DiagnosticCatalog.all + others).first { $0.code == code } }
        let files = Set(report.files.map(\.path) + report.diagnostics.map(\.file)).sorted()
        let run: JSONValue = [
            "tool": ["driver": ["name": "carnet", "rules": .array(zip(codes, rules).map { rule($0, $1) })]],
            "columnKind": "unicodeCodePoints",
            "artifacts": .array(files.map { ["location": ["uri": .string(Self.uri($0))]] }),
            "results": .array(report.diagnostics.map { result($0, ruleIndex: codes.firstIndex(of: $0.code)) }),
        ]
        let log: JSONValue = [
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run],
        ]
        return log.jsonText(.indented) + "\n"
    }

    private func rule(_ code: String, _ explanation: DiagnosticExplanation?) -> JSONValue {
        guard let explanation else { return ["id": .string(code)] }
        let name = explanation.name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        let rule: JSONValue = [
            "id": .string(code),
            "name": .string(name),
            "shortDescription": ["text": .string(explanation.summary)],
            "fullDescription": ["text": .string(explanation.rationale)],
            "help": ["text": .string(explanation.rationale), "markdown": .string(explanation.page(by: linter))],
            "defaultConfiguration": ["level": Self.level(explanation.severity)],
        ]
        guard let documentation else { return rule }
        let base = documentation.hasSuffix("/") ? documentation : documentation + "/"
        return rule.adding(["helpUri": .string("\(base)\(code).md")])
    }

    /// The names of SARIF 2.1.0, section 3.27.10.
    private static func level(_ severity: Diagnostic.Severity) -> JSONValue {
        .string(severity == .information ? "note" : severity.rawValue)
    }

    private func result(_ diagnostic: Diagnostic, ruleIndex: Int?) -> JSONValue {
        let text = [diagnostic.message, diagnostic.help].compactMap { $0 }.joined(separator: "\n")
        var result: JSONValue = [
            "ruleId": .string(diagnostic.code),
            "ruleIndex": .number(String(ruleIndex ?? -1)),
            "level": Self.level(diagnostic.severity),
            "message": ["text": .string(text)],
            "locations": [location(diagnostic.file, diagnostic.span)],
        ]
        if !diagnostic.related.isEmpty {
            let related = diagnostic.related.map {
                location($0.file, $0.span).adding(["message": ["text": .string($0.message)]])
            }
            result = result.adding(["relatedLocations": .array(related)])
        }
        if let fix = diagnostic.fix { result = result.adding(["fixes": [json(fix, file: diagnostic.file)]]) }
        return result
    }

    private func json(_ fix: Fix, file: String) -> JSONValue {
        let replacements = fix.edits.map { edit -> JSONValue in
            ["deletedRegion": region(edit.span), "insertedContent": ["text": .string(edit.replacement)]]
        }
        return [
            "description": ["text": .string(fix.summary)],
            "artifactChanges": [
                ["artifactLocation": ["uri": .string(Self.uri(file))], "replacements": .array(replacements)]
            ],
        ]
    }

    private func location(_ file: String, _ span: SourceSpan) -> JSONValue {
        ["physicalLocation": ["artifactLocation": ["uri": .string(Self.uri(file))], "region": region(span)]]
    }

    private func region(_ span: SourceSpan) -> JSONValue {
        [
            "startLine": .number(String(span.start.line)), "startColumn": .number(String(span.start.column)),
            "endLine": .number(String(span.end.line)), "endColumn": .number(String(span.end.column)),
        ]
    }

    /// A path as a URI reference (RFC 3986, section 4.1).
    private static func uri(_ path: String) -> String {
        var output = path.hasPrefix("/") ? "file://" : ""
        for byte in path.utf8 {
            if ASCII.isUnreserved(byte) || byte == UInt8(ascii: "/") {
                output.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                let hex = String(byte, radix: 16, uppercase: true)
                output += "%" + (hex.count == 1 ? "0" : "") + hex
            }
        }
        return output
    }
}
