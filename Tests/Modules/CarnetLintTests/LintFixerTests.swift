import CarnetDescriptors
import Testing

@testable import CarnetLint

@Suite("Lint fixer")
struct LintFixerTests {
    private func file(_ text: String) -> SourceFile { SourceFile(path: "acme.yaml", bytes: Array(text.utf8)) }

    private func text(_ file: SourceFile) -> String { String(decoding: file.bytes, as: UTF8.self) }

    private func edit(_ line: Int, _ start: Int, _ end: Int, _ replacement: String) -> Fix.Edit {
        let position = { SourcePosition(line: line, column: $0) }
        return Fix.Edit(span: SourceSpan(start: position(start), end: position(end)), replacement: replacement)
    }

    private func finding(_ edits: [Fix.Edit], _ applicability: Fix.Applicability = .safe) -> Diagnostic {
        let span = edits.first?.span ?? .fileStart
        let fix = Fix(summary: "mend it", applicability: applicability, edits: edits)
        return Diagnostic(code: "E001", message: "wrong", file: "acme.yaml", span: span, fix: fix)
    }

    @Test("Fixes keep comments, quotes and layout")
    func fixesKeepCommentsQuotesAndLayout() {
        let original = """
            carnet: 1   # the format
            id: acme
            name: "Acme 🌱"
            issuer: 'http://id.acme.example'   # the issuer
            scopes:
              separator: '%20'
              default: [openid, email, openid] # three

            """
        let (fixed, applied) = LintFixer.fix(file(original))
        #expect(applied == 3)
        #expect(
            text(fixed) == """
                carnet: 1   # the format
                id: acme
                name: "Acme 🌱"
                issuer: 'https://id.acme.example'   # the issuer
                scopes:
                  separator: ' '
                  default: [openid, email] # three

                """
        )
        #expect(Linter().lint(files: [fixed]).diagnostics == [])
    }

    @Test("off, which is false to other tools, becomes none")
    func offBecomesNone() {
        let original = """
            carnet: 1
            id: acme
            name: Acme
            discovery: off
            endpoints: { authorization: https://id.acme.example/a, token: https://id.acme.example/t }
            scopes: { default: [read] }
            authorization: { pkce: { off: "it refuses the parameter" } } # a reason

            """
        let (fixed, applied) = LintFixer.fix(file(original))
        #expect(applied == 2)
        #expect(
            text(fixed)
                == original.replacing("discovery: off", with: "discovery: none").replacing("{ off:", with: "{ none:"))
        #expect(Linter().lint(files: [fixed]).diagnostics.allSatisfy { $0.severity != .error })
    }

    @Test("An element of a block list goes with its line")
    func anElementOfABlockList() {
        let original =
            "carnet: 1\nid: acme\nname: Acme\nissuer: https://a.example\nscopes:\n  default:\n    - a\n    - a\n    - b\n"
        let (fixed, applied) = LintFixer.fix(file(original))
        #expect(applied == 1)
        #expect(text(fixed) == original.replacing("    - a\n    - a\n", with: "    - a\n"))
    }

    @Test("Elements side by side go at once")
    func elementsSideBySideGo() {
        let repeated = repeatElement("a", count: 3000).joined(separator: ", ")
        let start = "carnet: 1\nid: acme\nname: Acme\nissuer: https://a.example\n"
        let (fixed, applied) = LintFixer.fix(file(start + "scopes: { default: [\(repeated)] }\n"))
        #expect(applied == 2999)
        #expect(text(fixed) == start + "scopes: { default: [a] }\n")
    }

    @Test("An element behind a comment is left alone")
    func anElementBehindAComment() {
        let original =
            "carnet: 1\nid: acme\nname: Acme\nissuer: https://a.example\nscopes:\n  default:\n    - a # why\n    - a\n"
        let (fixed, applied) = LintFixer.fix(file(original))
        #expect(applied == 0)
        #expect(text(fixed) == original)
    }

    @Test("An unsafe fix is not applied")
    func anUnsafeFixIsNotApplied() {
        let (fixed, applied) = LintFixer.apply(
            to: file("a: b\n"), diagnostics: [finding([edit(1, 4, 5, "c")], .unsafe)])
        #expect(applied == 0)
        #expect(text(fixed) == "a: b\n")
    }

    @Test("Of two fixes of one text the first is applied")
    func ofTwoFixesOfOneText() {
        let findings = [finding([edit(1, 4, 7, "x")]), finding([edit(1, 6, 8, "y")])]
        let (fixed, applied) = LintFixer.apply(to: file("a: bcdef\n"), diagnostics: findings)
        #expect(applied == 1)
        #expect(text(fixed) == "a: xef\n")
    }

    @Test("A fix is applied whole or not at all")
    func aFixIsAppliedWhole() {
        let findings = [finding([edit(1, 4, 5, "x")]), finding([edit(1, 1, 2, "y"), edit(1, 4, 5, "z")])]
        let (fixed, _) = LintFixer.apply(to: file("a: b\n"), diagnostics: findings)
        #expect(text(fixed) == "y: z\n" || text(fixed) == "a: x\n")
    }

    @Test("Edits are counted in characters behind wide ones, a mark and other line breaks")
    func editsAreCountedInCharactersBehind() {
        let findings = [finding([edit(2, 4, 5, "x")]), finding([edit(1, 5, 6, "y")])]
        let (fixed, applied) = LintFixer.apply(to: file("\u{FEFF}é: 🌱b\r\nü: c\r\n"), diagnostics: findings)
        #expect(applied == 2)
        #expect(text(fixed) == "\u{FEFF}é: 🌱y\r\nü: x\r\n")
    }

    @Test("A result that no longer parses is rejected")
    func aResultThatNoLongerParses() {
        let (fixed, applied) = LintFixer.apply(to: file("a: b\n"), diagnostics: [finding([edit(1, 4, 5, "[")])])
        #expect(applied == 0)
        #expect(text(fixed) == "a: b\n")
    }

    @Test("A place outside of the text is rejected")
    func aPlaceOutsideOfTheText() {
        let (fixed, applied) = LintFixer.apply(to: file("a: b\n"), diagnostics: [finding([edit(9, 1, 2, "c")])])
        #expect(applied == 0)
        #expect(text(fixed) == "a: b\n")
    }

    @Test("Findings of other files are left alone")
    func findingsOfOtherFilesAreLeft() {
        var other = finding([edit(1, 4, 5, "c")])
        other.file = "other.yaml"
        #expect(LintFixer.apply(to: file("a: b\n"), diagnostics: [other]).applied == 0)
    }
}
