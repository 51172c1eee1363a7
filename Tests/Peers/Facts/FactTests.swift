import CarnetCatalog
import CarnetTestSupport
import Foundation
import Testing

/// Compares the requests and claims of each provider with facts that were collected without sight of its descriptor.
/// With `CARNET_UPDATE_DOCS=1` in the environment the counts of the differences are written anew.
@Suite("A second entry of the catalogue's facts")
struct FactTests {
    private static let isUpdating = ProcessInfo.processInfo.environment["CARNET_UPDATE_DOCS"] == "1"
    private static let page = "Docs/providers/disagreements.md"
    private static let marks = (begin: "<!-- made from Tests/Peers/Facts -->", end: "<!-- end of facts -->")

    private struct Compared {
        let fact: Fact
        let comparison: Comparison
    }

    private static let comparison = Result {
        try Dictionary(grouping: FactTable.facts(), by: \.id).values.flatMap { facts in
            let conduct = try ProviderConduct(facts[0].id)
            return try facts.map { Compared(fact: $0, comparison: try conduct.compare($0, among: facts)) }
        }.sorted { $0.fact.line < $1.fact.line }
    }

    private static func compared() throws -> [Compared] { try comparison.get() }

    @Test("Every fact agrees with what Carnet does, or the difference is settled")
    func differences() throws {
        let settlements = Dictionary(grouping: try FactTable.settlements(), by: \.row)
        for item in try Self.compared() {
            guard case .differs(let conduct) = item.comparison else { continue }
            let found = settlements[item.fact.row] ?? []
            if found.contains(where: { $0.mistake != .descriptor }) { continue }
            Issue.record(
                "facts.tsv:\(item.fact.line): \(item.fact.row) (\(item.fact.sure)) differs: Carnet has \(conduct)")
        }
    }

    @Test("Every settled difference still is one, or its descriptor is corrected")
    func settlements() throws {
        let compared = Dictionary(grouping: try Self.compared(), by: \.fact.row)
        var seen = Set<String>()
        for settlement in try FactTable.settlements() {
            let place = "settled.tsv:\(settlement.line): \(settlement.row)"
            #expect(seen.insert(settlement.row).inserted, "\(place) is settled twice")
            guard let item = compared[settlement.row]?.first else {
                Issue.record("\(place) is no row of facts.tsv")
                continue
            }
            switch (item.comparison, settlement.mistake) {
            case (.differs, .descriptor): Issue.record("\(place): the descriptor is not corrected")
            case (.differs(let conduct), _):
                #expect(conduct == settlement.carnet, "\(place): Carnet has \(conduct), not \(settlement.carnet)")
            case (_, .descriptor): break
            default: Issue.record("\(place) does not differ any more")
            }
        }
    }

    @Test("No row is entered twice, and none is without a source")
    func rows() throws {
        var seen = Set<String>()
        for fact in try FactTable.facts() {
            #expect(seen.insert(fact.row).inserted, "facts.tsv:\(fact.line): \(fact.row) is entered twice")
            #expect(["own", "libs2", "lib1", "conflict"].contains(fact.sure), "facts.tsv:\(fact.line): \(fact.sure)")
        }
    }

    @Test("The page has the counts of the differences")
    func page() throws {
        let file = try Repository.file(Self.page)
        let parts = file.text.components(separatedBy: Self.marks.begin)
        let rest = try #require(parts.last?.components(separatedBy: Self.marks.end))
        try #require(parts.count == 2 && rest.count == 2, "\(Self.page) lacks the marks")
        let text =
            parts[0] + Self.marks.begin + "\n\n" + (try Self.section()) + "\n" + Self.marks.end + rest[1]
        if Self.isUpdating {
            try Data(text.utf8).write(to: Repository.root.appending(path: Self.page))
        } else {
            #expect(file.text == text, "\(Self.page) is not current; run the tests with CARNET_UPDATE_DOCS=1")
        }
    }

    private static func section() throws -> String {
        let compared = try compared()
        let settlements = try FactTable.settlements()
        func count(_ mistake: Settlement.Mistake) -> Int { settlements.count { $0.mistake == mistake } }
        let people = compared.count { $0.comparison == .notCompared }
        let providers = Set(compared.map(\.fact.id)).count
        let counts = [
            "facts about \(providers) providers": compared.count
        ]
        let agreed = compared.count - people - settlements.count
        var lines = counts.map { "| \($0.key) | \($0.value) |" }
        lines += [
            "| not comparable with a request, such as a console's words | \(people) |",
            "| agreed at once | \(agreed) |",
            "| differed | \(settlements.count) |",
            "| of these: the descriptor was wrong, and is corrected | \(count(.descriptor)) |",
            "| the second entry was wrong | \(count(.entry)) |",
            "| its source was wrong or old | \(count(.source)) |",
            "| both are right: several values are valid, and Carnet uses one | \(count(.none)) |",
            "| had a third look of its own, not the reason of its kind | \(settlements.count { $0.source != "by its kind" }) |",
        ]
        return """
            | Facts | Count |
            |---|---|
            \(lines.joined(separator: "\n"))

            `Tests/Peers/Facts/settled.tsv` lists each difference, with whose mistake it was and the reason.

            \(try PublishedTests.section())
            """
    }
}
