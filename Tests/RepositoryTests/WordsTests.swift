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
    ]

    /// Pages that are made from strings in the sources, and pages that have not been rewritten.
    private static let exceptions: Set<String> = [
        "Docs/descriptor-reference.md", "Docs/quirks.md", "Docs/security.md",
        "Docs/decisions/refresh-locks.md",
    ]

    @Test("No page uses a word that the standards have another word for")
    func words() throws {
        let pages = try (Repository.documentation() + Repository.catalogues()).filter {
            !Self.exceptions.contains($0.path) && !$0.path.hasPrefix("Docs/lint/")
                && !$0.path.hasPrefix("Docs/providers/")
        }
        #expect(pages.count > 40)
        for (word, instead) in Self.words {
            let pattern = try Regex("\\b\(word)\\b").ignoresCase()
            for page in pages {
                for (number, line) in page.prose where line.contains(pattern) {
                    Issue.record("\(page.path):\(number) has \"\(word)\"; write \(instead): \(line)")
                }
            }
        }
    }

    @Test("The exceptions exist")
    func exceptions() throws {
        let pages = Set(try Repository.documentation().map(\.path))
        #expect(Self.exceptions.isSubset(of: pages))
    }
}
