import CarnetTestSupport
import Foundation
import Testing

/// Each quirk is driven against the sandbox that impersonates it, and `Docs/quirks.md` is made from the same table.
/// With `CARNET_UPDATE_DOCS=1` in the environment the page is written anew.
@Suite("A quirk")
struct QuirkTests {
    @Test("that a key says works, to the byte", arguments: Quirk.sections.flatMap(\.quirks))
    func works(quirk: Quirk) async throws {
        if case .proved(_, let proof) = quirk.standing { try await proof() }
    }

    @Test("has one row in its section", arguments: Quirk.sections.indices)
    func once(section: Int) {
        let titles = Quirk.sections[section].quirks.map(\.title)
        #expect(Set(titles).count == titles.count)
    }

    @Test("stands on the page as in the table")
    func page() throws {
        let file = Repository.root.appending(path: "Docs/quirks.md")
        if ProcessInfo.processInfo.environment["CARNET_UPDATE_DOCS"] == "1" {
            try Data(Quirk.page.utf8).write(to: file)
        }
        let written = try? String(decoding: Data(contentsOf: file), as: UTF8.self)
        #expect(written == Quirk.page, "Docs/quirks.md is not current; run the tests with CARNET_UPDATE_DOCS=1")
    }
}

extension Quirk {
    static var page: String {
        var lines = [
            "# Quirks",
            "",
            "For authors of descriptors whose provider deviates from the standards: find the deviation in the first column, and use",
            "the key of the second. The last column names providers with the deviation. A number counts them among the 343 providers",
            "of the largest public catalogue.",
            "",
            "The tests generate this page. For each row with a key, a test signs in to a sandbox with that deviation and compares",
            "the requests.",
        ]
        for section in sections {
            lines += ["", "## \(section.title)", "", "| quirk | key | needed by |", "|---|---|---|"]
            for quirk in section.quirks {
                if case .proved(let key, _) = quirk.standing {
                    lines.append("| \(quirk.title) | \(key) | \(quirk.neededBy) |")
                }
            }
        }
        lines += [
            "", "## Quirks without a key", "", "| quirk | why | needed by |", "|---|---|---|",
        ]
        for quirk in sections.flatMap(\.quirks) {
            if case .missing(let reason) = quirk.standing {
                lines.append("| \(quirk.title) | \(reason) | \(quirk.neededBy) |")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
