import CarnetDescriptors
import CarnetGateway
import CarnetSimulation
import CarnetTestSupport
import Foundation
import Testing

@testable import CarnetLint

/// `Docs/lint` is made from the rules. With `CARNET_UPDATE_DOCS=1` in the environment the pages are written anew.
@Suite("Rule page", .serialized)
struct RulePageTests {
    private static let rules = DiagnosticCatalog.all + GatewayRuleCatalog.explanations
    private static let folder = Repository.root.appending(path: "Docs/lint")

    private static let updates = ProcessInfo.processInfo.environment["CARNET_UPDATE_DOCS"] == "1"

    private func expectCurrent(_ name: String, _ content: String) throws {
        let file = Self.folder.appending(path: name)
        if Self.updates {
            try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
            try Data(content.utf8).write(to: file)
        }
        let written = try? String(decoding: Data(contentsOf: file), as: UTF8.self)
        #expect(written == content, "\(name) is not current; run the tests with CARNET_UPDATE_DOCS=1")
    }

    @Test("The page of a rule is current", arguments: rules.map(\.code))
    func thePageOfARule(code: String) throws {
        let rule = try DiagnosticCatalog.rule(code, besides: GatewayRuleCatalog.explanations)
        let linter = Linter(simulator: SampleSimulator(), others: [GatewayFiles(registry: nil)])
        try expectCurrent("\(code).md", rule.page(by: linter))
    }

    @Test("The list of rules is current")
    func theListOfRulesIsCurrent() throws {
        try expectCurrent("README.md", DiagnosticCatalog.index(with: GatewayRuleCatalog.explanations))
    }

    @Test("There is no page without a rule")
    func thereIsNoPageWithout() throws {
        let expected = Set(Self.rules.map { "\($0.code).md" } + ["README.md"])
        let pages = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        if Self.updates {
            for page in pages where !expected.contains(page) {
                try FileManager.default.removeItem(at: Self.folder.appending(path: page))
            }
        } else {
            #expect(Set(pages).subtracting(expected) == [])
        }
    }
}
