import CarnetTestSupport
import Foundation
import Testing

@Suite("The length of the pages")
struct PageLengthTests {
    /// The pages of a folder that are of one kind, with the limits of their words.
    struct Kind: Sendable, CustomTestStringConvertible {
        let folder: String
        /// Words of a page on average.
        let average: Int
        /// Words of one page.
        let longest: Int
        /// Words of the lines that more than a third of the pages have.
        let shared: Int

        var testDescription: String { folder }

        func pages() throws -> [Repository.File] {
            try Repository.files("Docs/\(folder)", "md").filter { !["README", "disagreements"].contains($0.name) }
        }
    }

    /// A longer page is a reason to write less, or to say it once on the index of the folder. Raise a limit only for new facts.
    private static let kinds = [
        Kind(folder: "providers", average: 360, longest: 690, shared: 70),
        Kind(folder: "lint", average: 80, longest: 170, shared: 10),
        Kind(folder: "decisions", average: 310, longest: 800, shared: 5),
        Kind(folder: "guides", average: 560, longest: 1_300, shared: 10),
    ]

    @Test("A page has no more words than its kind may have", arguments: kinds)
    func words(kind: Kind) throws {
        let counts = try kind.pages().map { page in (page.path, page.wordCount) }
        #expect(counts.count >= 10)
        for (path, count) in counts { #expect(count <= kind.longest, "\(path) has \(count) words") }
        let average = counts.map(\.1).reduce(0, +) / counts.count
        #expect(average <= kind.average, "the pages of \(kind.folder) have \(average) words on average")
    }

    @Test("What many pages of a kind share is not repeated on each of them", arguments: kinds)
    func sharedLines(kind: Kind) throws {
        let pages = try kind.pages()
        var counts: [Substring: Int] = [:]
        for page in pages {
            // The rules of tables have no words.
            for line in Set(page.proseLines.filter { $0.contains(/\w+\W+\w+/) }) { counts[line, default: 0] += 1 }
        }
        let shared = counts.filter { $0.value * 3 > pages.count }.keys.sorted()
        let words = shared.map { $0.split(separator: " ").count }.reduce(0, +)
        #expect(words <= kind.shared, "\(kind.folder): \(words) words of \(shared.joined(separator: "\n"))")
    }
}

extension Repository.File {
    /// The lines outside the blocks of code.
    fileprivate var proseLines: [Substring] {
        var isCode = false
        return lines.map(\.text).filter { line in
            let isFence = line.hasPrefix("```")
            if isFence { isCode.toggle() }
            return !isCode && !isFence
        }
    }

    fileprivate var wordCount: Int { proseLines.map { $0.split(separator: " ").count }.reduce(0, +) }
}
