import CarnetTestSupport
import Foundation
import Testing

@testable import CarnetDescriptors

/// `Docs/descriptor-reference.md` is made from the table. With `CARNET_UPDATE_DOCS=1` in the environment it is written anew.
@Suite("Descriptor reference")
struct DescriptorReferenceTests {
    private let page = DescriptorReference.page

    @Test("The page is current")
    func thePageIsCurrent() throws {
        let path = "Docs/descriptor-reference.md"
        if ProcessInfo.processInfo.environment["CARNET_UPDATE_DOCS"] == "1" {
            try Data(page.utf8).write(to: Repository.root.appending(path: path))
        }
        let written = try? Repository.file(path).text
        #expect(written == page, "\(path) is not current; run the tests with CARNET_UPDATE_DOCS=1")
    }

    @Test("Every key stands on the page, and no other")
    func everyKeyStandsOnThePage() {
        var paths: [String] = []
        var headings: [String] = []
        let tables = page.split(separator: "\n## Requests\n")[0]
        for line in tables.split(separator: "\n") {
            if line.hasPrefix("## ") {
                headings = line.matches(of: /`([^`]+)`/).map { String($0.output.1) + "." }
                if headings.isEmpty { headings = [""] }
            } else if let cell = line.firstMatch(of: /^\| (?:\*\*)?(`[^|]+`)/)?.output.1 {
                let keys = cell.matches(of: /`([^`]+)`/).map { String($0.output.1) }
                paths += keys.flatMap { key in headings.map { $0 + key } }
            }
        }
        #expect(Set(paths) == LanguageTests.tablePaths)
        #expect(paths.count == Set(paths).count)
    }

    @Test("A key that must be there is bold, or one that tells the forms of a value apart")
    func aKeyThatMustBeThere() {
        let forms = page.split(separator: "\n").filter { $0.hasPrefix("Either ") }
        let ofForms = forms.flatMap { $0.matches(of: /`([^`]+)`/).map { String($0.output.1) } }
        let bold = Set(page.matches(of: /\| \*\*`([^`]+)`\*\*/).map { String($0.output.1) })
        let required = LanguagePlace.all.flatMap(\.sections).flatMap(\.keys).filter(\.isRequired)
        #expect(bold.union(ofForms) == Set(required.map(\.name)))
    }

    @Test("Every link leads to one heading")
    func everyLinkLeadsToOneHeading() {
        let anchors = page.split(separator: "\n").filter { $0.hasPrefix("## ") }.map { heading in
            heading.dropFirst(3).lowercased().replacing(" ", with: "-").filter { !"`.,[]".contains($0) }
        }
        let links = page.matches(of: /\]\(#([^)]*)\)/).map { String($0.output.1) }
        #expect(!links.isEmpty && Set(links).isSubset(of: anchors))
        #expect(Set(anchors).count == anchors.count)
    }
}
