import CarnetDescriptors
import CarnetFoundation
import Testing

@testable import CarnetLint

@Suite("Reporter")
struct ReporterTests {
    private func span(_ line: Int, _ start: Int, _ end: Int, endLine: Int? = nil) -> SourceSpan {
        SourceSpan(
            start: SourcePosition(line: line, column: start), end: SourcePosition(line: endLine ?? line, column: end))
    }

    private func report(_ text: String, _ diagnostics: Diagnostic...) -> LintReport {
        LintReport(files: [SourceFile(path: "p/acme.yaml", bytes: Array(text.utf8))], diagnostics: diagnostics)
    }

    private func finding(
        _ message: String, _ span: SourceSpan, help: String? = nil, related: [Diagnostic.Related] = [], fix: Fix? = nil
    ) -> Diagnostic {
        Diagnostic(
            code: "E001", message: message, file: "p/acme.yaml", span: span, help: help, related: related, fix: fix)
    }

    @Test(
        "A report quotes no secret",
        arguments: [
            ("client_secret: hunter2hunter2", "client_secret: **************"),
            ("client: { secret: 'hunter2hunter2', id: x }", "client: { secret: '**************', id: x }"),
            ("\"api_key\": \"hunter2hunter2\" # key", "\"api_key\": \"**************\" # key"),
            ("Password: hunter2hunter2  # old", "Password: **************  # old"),
            ("token: https://id.acme.example/token", "token: https://id.acme.example/token"),
            ("inputs: { key: { secret: true } }", "inputs: { key: { secret: true } }"),
            ("parameters: { secret: '{client.secret}' }", "parameters: { secret: '{client.secret}' }"),
            ("rename: { client_secret: key }", "rename: { client_secret: key }"),
            ("fields: { access_token: /data/token }", "fields: { access_token: /data/token }"),
            ("sample: { jwt: eyJhbGciOiJub25lIn0.e30., id: 1 }", "sample: { jwt: ************************, id: 1 }"),
            ("- Bearer eyJhbGciOiJub25lIn0.e30.x", "- Bearer *************************"),
            ("tokens: [eyJhbGciOiJub25lIn0.e30.x, eyes.open]", "tokens: [*************************, eyes.open]"),
            ("client_secret: /9j4AAQSkZJRg", "client_secret: *************"),
        ])
    func quotesNoSecret(_ line: String, _ shown: String) {
        #expect(MaskedSecrets.masking(line) == shown)
        let output = TextReporter().render(report(line + "\n", finding("found", span(1, 1, 3))))
        #expect(output.contains("\n1 | \(shown)\n"), "\(output)")
        #expect(shown.count == line.count)
    }

    // MARK: Text

    @Test("A finding shows its line, its place, help, fix and what is related")
    func aFindingShowsItsLine() {
        let fix = Fix(
            summary: "use https", applicability: .safe, edits: [.init(span: span(10, 9, 13), replacement: "https")])
        let related = Diagnostic.Related(message: "first defined here", file: "p/acme.yaml", span: span(2, 1, 3))
        let text = "a: 1\nid: x\n" + String(repeating: "\n", count: 7) + "issuer: http://x.example\n"
        let output = TextReporter().render(
            report(
                text, finding("issuer is not https", span(10, 9, 13), help: "use https", related: [related], fix: fix)))
        #expect(
            output == """
                p/acme.yaml:10:9: error: issuer is not https [E001]
                   |
                10 | issuer: http://x.example
                   |         ^~~~
                   = help: use https
                   = fix: use https
                   = p/acme.yaml:2:1: first defined here
                   |
                 2 | id: x
                   | ^~

                1 error in 1 file; 1 can be fixed with --fix

                """
        )
    }

    @Test(
        "The underline is under the place",
        arguments: [
            ("名前: bad", 5, 8, "名前: bad", "      ^~~"),
            ("🌱: bad", 4, 7, "🌱: bad", "    ^~~"),
            ("a:\tbad", 4, 7, "a:  bad", "    ^~~"),
            ("\tbad", 2, 5, "    bad", "    ^~~"),
            ("e\u{301}: bad", 5, 8, "e\u{301}: bad", "   ^~~"),
            ("a: 名前x", 4, 7, "a: 名前x", "   ^~~~~"),
            ("a: \u{1B}[31mx", 9, 10, "a: \\u{1B}[31mx", "             ^"),
            ("a: \u{202E}x", 5, 6, "a: \\u{202E}x", "           ^"),
            ("a: b", 5, 5, "a: b", "    ^"),
            ("👩‍👩‍👧: x", 8, 9, "👩‍👩‍👧: x", "    ^"),
        ])
    func theUnderlineIsUnderThePlace(source: String, start: Int, end: Int, line: String, underline: String)
        throws
    {
        let excerpt = try #require(SourceExcerpt(span(1, start, end), in: SourceText(bytes: Array(source.utf8))))
        let shown =
            String(repeating: " ", count: excerpt.indentation) + "^" + String(repeating: "~", count: excerpt.length - 1)
        #expect(excerpt.line == line)
        #expect(shown == underline)
    }

    @Test("A place of several lines is underlined to the end of its first")
    func aPlaceOfSeveralLines() throws {
        let text = SourceText(bytes: Array("a: [x,\n  y]\n".utf8))
        let excerpt = try #require(SourceExcerpt(span(1, 4, 5, endLine: 2), in: text))
        #expect(excerpt.indentation == 3)
        #expect(excerpt.length == 3)
    }

    @Test("A very long line is cut around the place")
    func aVeryLongLineIsCut() throws {
        let source = String(repeating: "x", count: 10_000) + "BAD" + String(repeating: "y", count: 10_000)
        let excerpt = try #require(SourceExcerpt(span(1, 10_001, 10_004), in: SourceText(bytes: Array(source.utf8))))
        #expect(excerpt.line.count < 200)
        #expect(excerpt.line.dropFirst(excerpt.indentation).prefix(excerpt.length) == "BAD")
    }

    @Test("Nothing from a file reaches the terminal as a command")
    func nothingFromAFileReaches() {
        let text = "\u{1B}]0;owned\u{7}: \u{9B}31m\n"
        var finding = finding("found \u{1B}[2J", span(1, 1, 2), help: "\u{1B}[2J")
        finding.file = "p/\u{1B}[2J.yaml"
        for format in ReportFormat.allCases {
            let output = format.reporter().render(report(text, finding, self.finding("wrong", span(1, 1, 2))))
            #expect(
                !output.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value) })
        }
    }

    @Test("Colour is only used when asked for")
    func colourIsOnlyUsedWhenAsked() {
        let report = report("a: b\n", finding("wrong", span(1, 1, 2)))
        #expect(!TextReporter().render(report).contains("\u{1B}"))
        #expect(TextReporter(usesColor: true).render(report).contains("\u{1B}[1;31merror\u{1B}[0m"))
    }

    @Test("The last line counts")
    func theLastLineCounts() {
        #expect(TextReporter().render(report("a: b\n")) == "no findings in 1 file\n")
        var warning = finding("wrong", span(1, 1, 2))
        warning.severity = .warning
        let output = TextReporter().render(
            report("a: b\n", warning, finding("wrong", span(1, 3, 4)), finding("wrong", span(1, 4, 5))))
        #expect(output.hasSuffix("\n2 errors and 1 warning in 1 file\n"))
    }

    @Test("Information is a remark, a notice and a note, and neither an error nor a warning")
    func informationIsARemarkANotice() {
        var remark = finding("known", span(1, 1, 2))
        remark.severity = .information
        let report = report("a: b\n", remark)
        #expect(report.errorCount + report.warningCount == 0)
        #expect(TextReporter().render(report).hasSuffix("\n1 remark in 1 file\n"))
        #expect(GitHubReporter().render(report).hasPrefix("::notice "))
        #expect(SARIFReporter().render(report).contains("\"level\": \"note\""))
    }

    // MARK: JSON

    @Test("The JSON has what the contract says")
    func theJSONHasWhatTheContract() throws {
        let fix = Fix(summary: "use c", applicability: .safe, edits: [.init(span: span(1, 4, 5), replacement: "c")])
        let output = JSONReporter().render(report("a: b\n", finding("wrong", span(1, 4, 5), help: "help", fix: fix)))
        let expected: JSONValue = [
            "version": 1,
            "diagnostics": [
                [
                    "code": "E001", "severity": "error", "message": "wrong", "file": "p/acme.yaml", "line": 1,
                    "column": 4,
                    "end_line": 1, "end_column": 5, "help": "help",
                    "fix": [
                        "summary": "use c", "applicability": "safe",
                        "edits": [["line": 1, "column": 4, "end_line": 1, "end_column": 5, "replacement": "c"]],
                    ],
                ]
            ],
            "summary": ["files": 1, "errors": 1, "warnings": 0, "information": 0, "fixable": 1],
        ]
        #expect(try JSONValue(parsing: output) == expected)
    }

    @Test("Without findings the JSON has an empty list")
    func withoutFindingsTheJSONHas() throws {
        let json = try JSONValue(parsing: JSONReporter().render(report("a: b\n")))
        #expect(json["diagnostics"] == [])
        #expect(json["summary"] == ["files": 1, "errors": 0, "warnings": 0, "information": 0, "fixable": 0])
    }

    // MARK: GitHub

    @Test("An annotation cannot be broken out of")
    func anAnnotationCannotBeBrokenOut() {
        var finding = finding("100%\nwrong: yes, \r::error::x", span(3, 2, 5))
        finding.file = "a,b:c%.yaml"
        let output = GitHubReporter().render(LintReport(files: [], diagnostics: [finding]))
        #expect(
            output
                == "::error file=a%2Cb%3Ac%25.yaml,line=3,col=2,endLine=3,endColumn=4,title=E001::100%25%0Awrong: yes, %0D::error::x\n"
        )
    }

    // MARK: SARIF

    @Test("SARIF has the rule, the place in code points and the fix")
    func sarifHasTheRuleThePlace() throws {
        let fix = Fix(summary: "use c", applicability: .safe, edits: [.init(span: span(1, 4, 5), replacement: "c")])
        let related = Diagnostic.Related(message: "here", file: "p/acme.yaml", span: span(1, 1, 2))
        let report = report("a: b\n", finding("wrong", span(1, 4, 5), related: [related], fix: fix))
        let log = try JSONValue(parsing: SARIFReporter(documentation: "https://docs.example/lint").render(report))
        let run = try #require(log[JSONPointer(tokens: ["runs", "0"])])
        #expect(log["version"] == "2.1.0")
        #expect(run["columnKind"] == "unicodeCodePoints")
        let rule = try #require(run[JSONPointer(tokens: ["tool", "driver", "rules", "0"])])
        #expect(rule["id"] == "E001")
        #expect(rule["helpUri"] == "https://docs.example/lint/E001.md")
        let result = try #require(run[JSONPointer(tokens: ["results", "0"])])
        #expect(result["ruleIndex"] == 0)
        let place = result[JSONPointer(tokens: ["locations", "0", "physicalLocation"])]
        #expect(place?["region"] == ["startLine": 1, "startColumn": 4, "endLine": 1, "endColumn": 5])
        #expect(place?["artifactLocation"] == ["uri": "p/acme.yaml"])
        #expect(result[JSONPointer(tokens: ["relatedLocations", "0", "message", "text"])] == "here")
        let replacement = ["fixes", "0", "artifactChanges", "0", "replacements", "0", "insertedContent", "text"]
        #expect(result[JSONPointer(tokens: replacement)] == "c")
    }

    @Test("A path becomes a URI in SARIF")
    func aPathBecomesAURI() throws {
        var finding = finding("wrong", span(1, 1, 2))
        finding.file = "/tmp/a b/ä%.yaml"
        let log = try JSONValue(parsing: SARIFReporter().render(LintReport(files: [], diagnostics: [finding])))
        let uri = ["runs", "0", "artifacts", "0", "location", "uri"]
        #expect(log[JSONPointer(tokens: uri)] == "file:///tmp/a%20b/%C3%A4%25.yaml")
    }
}
