import CarnetDescriptors
import CarnetTestSupport
import Foundation
import Testing

@testable import CarnetLint

@Suite("Linter")
struct LinterTests {
    @Test("An empty condition in a resource map is reported: its resource would be open to every token")
    func emptyConditionOfAMap() {
        let entry = "title: A, url: https://api.acme.example/a"
        let text = "resources: [{ \(entry), any_of: [] }]\n"
        let map = SourceFile(path: "map.yaml", text: text)
        #expect(Linter().lint(files: [map]).diagnostics.map(\.code) == ["K106"])
        // All of no scopes is a statement: the resource needs none.
        let open = SourceFile(path: "map.yaml", text: text.replacing("any_of", with: "all_of"))
        #expect(Linter().lint(files: [open]).diagnostics == [])
    }

    private func file(_ path: String, _ text: String) -> SourceFile { SourceFile(path: path, bytes: Array(text.utf8)) }

    private func descriptor(_ id: String, _ rest: String = "") -> String {
        "carnet: 1\nid: \(id)\nname: Acme\nissuer: https://id.acme.example\n\(rest)"
    }

    private func lint(_ files: SourceFile...) -> [Diagnostic] { Linter().lint(files: files).diagnostics }

    @Test("A provider that follows the standards takes five lines and no finding")
    func aProviderThatFollowsTheStandards() {
        let text = descriptor("acme", "scopes: { default: [openid, profile, email] }\n")
        #expect(lint(file("providers/acme.yaml", text)) == [])
    }

    @Test("Two findings that differ only in their help have one order")
    func orderOfAlikeFindings() {
        let findings = ["a", "b", "c"].map { help in
            Diagnostic(code: "K002", message: "m", file: "f", span: .fileStart, help: help)
        }
        for others in [findings, findings.reversed(), [findings[1], findings[2], findings[0]]] {
            #expect(others.sorted() == findings)
        }
    }

    @Test("Every shipped descriptor is without findings")
    func everyShippedDescriptorIsWithoutFindings() throws {
        let paths = try DescriptorFolder(Repository.root.appending(path: "providers").path).descriptorPaths()
        #expect(paths.count >= 120)
        let report = Linter().lint(files: try paths.map { try SourceFile(readingFrom: $0) })
        #expect(report.errorCount + report.warningCount == 0, "\(TextReporter().render(report))")
    }

    @Test(
        "A file is verified today, or tomorrow in another time zone, and not later",
        arguments: [
            ("2026-11-30", "2026-12-01", true), ("2026-12-31", "2027-01-01", true), ("2028-02-28", "2028-02-29", true),
            ("2026-11-28", "2026-11-30", false), ("2026-11-30", "2026-12-02", false),
            ("2026-11-30", "2027-11-28", false),
        ])
    func aFileIsVerifiedToday(today: String, date: String, isPassed: Bool) {
        let file = file("acme.yaml", descriptor("acme", "verified: { date: '\(date)', how: their reference }\n"))
        #expect(Linter(today: today).lint(files: [file]).diagnostics.map(\.code) == (isPassed ? [] : ["M004"]))
        #expect(lint(file) == [])
    }

    @Test("A broken file hides no finding of another")
    func aBrokenFileHidesNoFinding() {
        let found = lint(file("a.yaml", "carnet: [\n"), file("b.yaml", descriptor("b", "docs: acme\n")))
        #expect(found.map(\.code) == ["D004", "M005"])
    }

    @Test(
        "A pattern that cannot be read is one finding with one reason",
        arguments: [
            ("[a-z", "a [ has no ]"), ("[a-z]{5,2}", "the counts {5,2} are in the wrong order"),
            ("[a-z]{1,2000}", "its counts expand it to more than 1024 steps"),
            ("(?=a)", "of the groups with (? only (?: is supported"),
        ])
    func aPatternThatCannotBeRead(pattern: String, reason: String) {
        let capture = "callback: { capture: { shop: { pattern: '\(pattern)', example: acme } } }\n"
        let input = "inputs: { tenant: { pattern: '\(pattern)', example: acme } }\n"
        for text in [capture, input] {
            let found = lint(file("acme.yaml", descriptor("acme", text))).filter { $0.code != "K101" }
            #expect(found.map(\.code) == ["K004"], "\(found)")
            #expect(found.first?.message == "\"\(pattern)\" is not a pattern: \(reason)")
        }
    }

    @Test("A pattern with a count of a hundred is a pattern")
    func aPatternWithACount() {
        let text = "callback: { capture: { shop: { pattern: '[a-z]{1,128}', example: acme } } }\n"
        #expect(!lint(file("acme.yaml", descriptor("acme", text))).contains { ["K004", "K121"].contains($0.code) })
    }

    @Test("Findings come in the order of the files and their places")
    func findingsComeInTheOrder() {
        let found = lint(
            file("b.yaml", descriptor("b", "docs: acme\napi: { scheme: 'a b' }\n")),
            file("a.yaml", descriptor("a", "docs: acme\n"))
        )
        #expect(found.map(\.file) == ["a.yaml", "b.yaml", "b.yaml"])
        #expect(found.map(\.code) == ["M005", "M005", "T009"])
    }

    @Test("The same file given twice is read once")
    func theSameFileGivenTwice() {
        let report = Linter().lint(files: [file("a.yaml", "x"), file("a.yaml", "x")])
        #expect(report.fileCount == 1)
        #expect(report.diagnostics.count == 1)
    }

    @Test("A file that cannot be read is a finding")
    func aFileThatCannotBeRead() {
        let error = SourceFileError(path: "gone.yaml", reason: .notFound)
        let report = Linter().lint(files: [], unreadable: [error])
        #expect(report.diagnostics.map(\.code) == ["D016"])
        #expect(report.fileCount == 1)
    }

    @Test("A header that the engine never sends cannot be silenced")
    func aHeaderThatTheEngineNever() {
        let text = """
            token:
              # carnet-lint-disable-next-line C008: their gateway wants it
              headers: { Authorization: Basic }

            """
        #expect(Set(lint(file("acme.yaml", descriptor("acme", text))).map(\.code)) == ["C008", "D021"])
    }

    @Test("A token request in the query of its URL has the key that sends it so")
    func aTokenRequestInItsURL() {
        let text = """
            carnet: 1
            id: acme
            name: Acme
            endpoints:
              authorization: https://acme.example/authorize?response_type=code
              token: https://acme.example/token?grant_type=authorization_code&scope=all

            """
        let helps = lint(file("acme.yaml", text)).filter { $0.code == "E005" }.compactMap(\.help)
        #expect(helps.count == 3 && !helps[0].contains("query_parameters"), "\(helps)")
        #expect(helps.last?.hasSuffix("token: { query_parameters: [grant_type, scope] }") == true)
    }

    @Test("A URL with blanks, or without the slash of one below api.base_url, is shown as it should be")
    func almostURLs() {
        let text = """
            carnet: 1
            id: acme
            name: Acme
            endpoints:
              authorization: "https: //acme.example/authorize"
              token: https://acme.example/token
            api: { base_url: https://api.acme.example/v2 }
            resources:
              - { id: forms, title: Forms, url: form/ }
              - { id: other, title: Other, url: other.example/photos }

            """
        let helps = lint(file("acme.yaml", text)).filter { $0.code == "E002" }.compactMap(\.help)
        #expect(
            helps == [
                "a URL has no blanks: write https://acme.example/authorize",
                "write /form/ for a URL below api.base_url, or the complete URL",
                "write the complete URL, starting with https://",
            ])
    }

    @Test("A scope with a blank beside it is one mistake, also where a resource needs the scope")
    func aScopeWithABlank() {
        let text = """
            scopes: { default: ["lights:all "] }
            resources: [{ title: Lights, scope: "lights:all", url: https://api.acme.example/lights }]

            """
        #expect(lint(file("acme.yaml", descriptor("acme", text))).map(\.code) == ["S001"])
    }

    @Test("A code of the callback in a later request is to be removed, as it works once")
    func aCodeInALaterRequest() {
        func helps(_ name: String) -> [String] {
            lint(file("acme.yaml", descriptor("acme", "refresh: { parameters: { x: '{callback.\(name)}' } }\n")))
                .filter { $0.code == "K123" }.compactMap(\.help)
        }
        // RFC 6749, section 4.1.2: the client must not use the code more than once.
        #expect(helps("code") == ["a code works once, in the token request; remove the parameter or header"])
        #expect(helps("state").first?.contains("callback.capture") == true)
    }

    @Test("A note about a key that the file deletes is about something")
    func aNoteAboutAKey() {
        let parent = file("a/acme.yaml", descriptor("acme", "issuer_match: { any_of: [https://id2.acme.example] }\n"))
        let child = """
            carnet: 1
            id: child
            name: Child
            extends: acme
            issuer_match: null
            notes: [{ about: issuer_match, because: they have one issuer }, { about: docs, because: x }]

            """
        let found = lint(parent, file("a/child.yaml", child))
        #expect(found.map(\.message) == ["the file has no key \"docs\""], "\(found)")
    }

    @Test("A value that comes later is not suggested in its own place")
    func aValueThatComesLater() {
        let text = """
            connection:
              derive: { site: '{connection.sites}' }
              lookups:
                sites: { url: 'https://api.acme.example/{connection.site}', value: /id, sample: { id: 7 } }

            """
        let found = lint(file("acme.yaml", descriptor("acme", text)))
        #expect(found.map(\.code) == ["K120"])
        #expect(
            found.first?.help == "move the step, lookup or request that provides it further up, or do not use it here")
    }

    // MARK: Files together

    @Test("Many files have the findings that each has alone, in the same order")
    func manyFilesHaveTheFindings() {
        let files = (0..<300).map { number in
            file("\(number).yaml", descriptor("p\(number)", number.isMultiple(of: 3) ? "docs: acme\n" : "scheme: x\n"))
        }
        let alone = files.flatMap { Linter().lint(files: [$0]).diagnostics }.sorted()
        for _ in 1...3 {
            let report = Linter().lint(files: files)
            #expect(report.diagnostics == alone)
            #expect(report.files == files)
        }
    }

    @Test("Two files of one folder cannot have one id")
    func twoFilesOfOneFolderCannot() {
        let found = lint(
            file("p/acme.yaml", descriptor("acme")), file("p/acme.yml", descriptor("acme")),
            file("q/acme.yaml", descriptor("acme"))
        )
        #expect(found.map(\.code) == ["M002"])
        #expect(found.map(\.file) == ["p/acme.yml"])
        #expect(found.first?.related.map(\.file) == ["p/acme.yaml"])
    }

    @Test("An id is the name of the file")
    func anIdIsTheName() {
        #expect(lint(file("p/acme.yaml", descriptor("other"))).map(\.code) == ["M001"])
        #expect(lint(file("<stdin>", descriptor("other"))) == [])
        #expect(lint(file("p/acme.txt", descriptor("other"))) == [])
    }

    // MARK: Hostile files

    @Test(
        "A file made to be slow is not",
        arguments: [
            "token: { parameters: { a: '" + String(repeating: "{a}", count: 20_000) + "' } }\n",
            "inputs: { a0: { type: text, default: x }"
                + (1..<800).reversed().map { ", a\($0): { type: text, default: '{a\($0 - 1)}' }" }.joined() + " }\n",
            "resources: [" + (0..<2_000).map { "{ title: a, url: 'http://a.example/\($0)' }" }.joined(separator: ", ")
                + "]\n",
            String(repeating: "# carnet-lint-disable-next-line E001: no\n", count: 5_000),
            "samples: { token: { access_token: x, " + (0..<5_000).map { "k\($0): 0" }.joined(separator: ", ")
                + " } }\n",
        ])
    func aFileMadeToBeSlow(rest: String) {
        let clock = ContinuousClock()
        let time = clock.measure {
            let report = Linter().lint(files: [file("a.yaml", descriptor("a", rest))])
            _ = TextReporter().render(report)
        }
        #expect(time < .seconds(60))
    }

    // MARK: Resource maps

    @Test("A file with resources alone is a resource map")
    func aFileWithResourcesAlone() {
        let map = #"[{"scope": "openid", "title": "Transfer", "url": "http://localhost:8080/banking/transfer"}]"#
        #expect(lint(file("scopeData.json", map)) == [])
        #expect(
            lint(file("map.yaml", "resources:\n  - { scope: a, title: A, ulr: https://a.example }\n")).map(\.code) == [
                "K003", "K001",
            ])
    }

    // MARK: Suppressions

    @Test("The next line is the next that is no comment")
    func theNextLineIsTheNext() {
        let rest = """
            docs: acme
            # carnet-lint-disable-next-line T009: their scheme has a space
            # and another comment
            api: { scheme: 'a b' }

            """
        #expect(lint(file("a.yaml", descriptor("a", rest))).map(\.code) == ["M005"])
    }

    @Test("A suppression of the next line is about no other")
    func aSuppressionOfTheNextLine() {
        let rest = "# carnet-lint-disable-next-line M005: no\nname2: x\n".replacing(
            "name2: x\n", with: "client: { authentication: [none] }\ndocs: acme\n")
        #expect(lint(file("a.yaml", descriptor("a", rest))).map(\.code) == ["D021", "M005"])
    }

    @Test("Several codes share a reason")
    func severalCodesShareAReason() {
        let rest = "# carnet-lint-disable M005, T009: under construction\ndocs: acme\napi: { scheme: 'a b' }\n"
        #expect(lint(file("a.yaml", descriptor("a", rest))) == [])
    }

    @Test("An error of the reader cannot be suppressed")
    func anErrorOfTheReaderCannot() {
        let rest = "# carnet-lint-disable D008: it has to be\ndocs: https://acme.example\n"
        let found = lint(file("a.yaml", descriptor("a", rest)))
        #expect(found.map(\.message) == ["D008 cannot be suppressed"])
    }

    @Test("A marker inside a string suppresses nothing")
    func aMarkerInsideATextSuppresses() {
        let rest = "docs: 'acme # carnet-lint-disable M005: no'\n"
        #expect(lint(file("a.yaml", descriptor("a", rest))).map(\.code) == ["M005"])
    }
}
