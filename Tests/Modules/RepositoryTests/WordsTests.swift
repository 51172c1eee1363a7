import CarnetTestSupport
import Foundation
import Testing

@Suite("The words of the documentation")
struct WordsTests {
    /// Words that the pages used for the standards' terms, with what to write instead.
    private static let words: [(word: String, instead: String)] = [
        (#"answer(s|ed|ing)?"#, "response, respond, return"),
        (#"judg(e|es|ed|ing|ement|ements|ment|ments)"#, "validate"),
        (#"(tell|tells|telling|told)"#, "report, return, print, show"),
        (#"mend(s|ed|ing)?"#, "fix"),
        (#"renew(s|ed|al|als|ing)?"#, "refresh"),
        (#"(seal|seals|sealed|sealing|unsealed)"#, "encrypt"),
        (#"pretend(s|ed)?"#, "test client, simulated"),
        (#"proof key"#, "PKCE, code verifier, code challenge"),
        (#"look-ups?"#, "lookup"),
        (#"by turns"#, "alternately"),
        (#"at hand"#, "available"),
        (#"in need"#, "unhealthy"),
        (#"(goes|is|are|went) away"#, "is unavailable"),
        (#"governed by"#, "see"),
        (#"(is|are) none"#, "is invalid"),
        (#"own words?"#, "error message"),
        (#"words of (the|a) server"#, "the server's error message"),
        (#"the word that"#, "the statement that"),
        (#"(Whoever|Whatever)"#, "name the actor"),
        (#"[Oo]ne that"#, "name the thing"),
        (#"to the letter"#, "exactly"),
        (#"(is|are|stay|stays) (still )?good"#, "is valid"),
        (#"a wish"#, "a preference"),
        (#"for ever"#, "forever"),
    ]

    /// All words in one expression. ICU's are a hundred times as fast as Swift's in a debug build.
    private static func pattern(without left: Set<String> = []) throws -> NSRegularExpression {
        let words = words.map(\.word).filter { !left.contains($0) }
        return try NSRegularExpression(
            pattern: "\\b(?:\(words.joined(separator: "|")))\\b", options: .caseInsensitive)
    }

    private static func advice(_ found: Substring) -> String {
        let match = words.first { word in
            String(found).range(of: "^(?:\(word.word))$", options: [.regularExpression, .caseInsensitive]) != nil
        }
        return "has \"\(found)\"; write \(match?.instead ?? "another word")"
    }

    @Test("No page uses a word that the standards have another word for")
    func words() throws {
        // A provider's page quotes the provider's titles of scopes.
        let pages = try (Repository.documentation() + Repository.catalogues()).filter {
            !$0.path.hasPrefix("Docs/providers/") || $0.path == "Docs/providers/README.md"
        }
        #expect(pages.count > 40)
        let pattern = try Self.pattern()
        for page in pages {
            for (number, line) in page.prose {
                guard let found = pattern.firstMatch(in: line) else { continue }
                Issue.record("\(page.path):\(number) \(Self.advice(found)): \(line)")
            }
        }
    }

    @Test("No reason that a descriptor gives uses such a word")
    func reasons() throws {
        let pages = try Repository.documentation().filter { $0.path.hasPrefix("Docs/providers/") }
        #expect(pages.count > 150)
        let pattern = try Self.pattern(without: ["[Oo]ne that"])
        for page in pages where !["README.md", "disagreements.md"].contains(where: { page.path.hasSuffix($0) }) {
            let notes = page.lines.drop { $0.text != "## Notes" }
            for line in notes where line.text.hasPrefix("| `") {
                guard let found = pattern.firstMatch(in: line.text) else { continue }
                Issue.record("\(page.path):\(line.number) \(Self.advice(found)): \(line.text)")
            }
        }
    }

    @Test("No message of the linter uses such a word")
    func messages() throws {
        let pages = try Repository.documentation().filter { $0.path.hasPrefix("Docs/lint/") }
        #expect(pages.count > 100)
        let pattern = try Self.pattern()
        for page in pages {
            for line in page.lines where line.text.hasPrefix("acme.yaml:") || line.text.hasPrefix("  = ") {
                guard let found = pattern.firstMatch(in: line.text) else { continue }
                Issue.record("\(page.path):\(line.number) \(Self.advice(found)): \(line.text)")
            }
        }
    }

    /// The linter's texts, which have pages.
    private static let otherSources = ["Sources/CarnetLint/", "Sources/CarnetDescriptors/Rules/"]

    /// Names in code that a string contains: columns of stores, values of templates, test values.
    private static func withoutIdentifiers(_ text: String) -> String {
        text.replacing(
            /`[^`]*`|\\\([^)]*\)|\bsealed\b(?= text| TEXT|,| =|\))|(?:RETURNING |excluded\.)sealed/,
            with: "")
    }

    @Test("No string or comment of the sources uses such a word")
    func sources() throws {
        // "There is none" and "one that" are wrong only at the beginning of a sentence, which a program cannot see.
        let pattern = try Self.pattern(without: [
            "(is|are) none", "[Oo]ne that", "(is|are|stay|stays) (still )?good", "for ever",
        ])
        let files = try Repository.files("Sources", "swift").filter { file in
            !Self.otherSources.contains { file.path.hasPrefix($0) }
        }
        #expect(files.count > 400)
        for file in files {
            for (number, text) in file.texts where pattern.firstMatch(in: text) != nil {
                guard let found = pattern.firstMatch(in: Self.withoutIdentifiers(text)) else { continue }
                Issue.record("\(file.path):\(number) \(Self.advice(found)): \(text)")
            }
        }
    }
}

extension NSRegularExpression {
    fileprivate func firstMatch(in text: some StringProtocol) -> Substring? {
        let text = String(text)
        let match = firstMatch(in: text, range: NSRange(text.startIndex..., in: text))
        return match.flatMap { Range($0.range, in: text) }.map { text[$0] }
    }
}

extension Repository.File {
    /// The comments of a source file, and its strings of more than one word.
    fileprivate var texts: [(number: Int, text: String)] {
        var isInString = false
        return lines.compactMap { number, line in
            let code = line.drop { $0 == " " }
            if code.hasPrefix("//") { return (number, String(code)) }
            let marks = code.split(separator: "\"\"\"", omittingEmptySubsequences: false).count - 1
            defer { if !marks.isMultiple(of: 2) { isInString.toggle() } }
            if isInString { return (number, String(code)) }
            let strings = Self.strings(in: code).filter { $0.contains(" ") }
            return strings.isEmpty ? nil : (number, strings.joined(separator: " "))
        }
    }

    private static func strings(in code: Substring) -> [String] {
        var strings: [String] = []
        var (current, isEscaped) = (String?.none, false)
        for character in code {
            switch character {
            case "\"" where !isEscaped:
                if let text = current { strings.append(text) }
                current = current == nil ? "" : nil
            default: current?.append(character)
            }
            isEscaped = character == "\\" && !isEscaped
        }
        return strings
    }
}
