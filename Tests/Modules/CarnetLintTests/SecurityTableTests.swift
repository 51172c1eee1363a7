import CarnetDescriptors
import CarnetSimulation
import CarnetTestSupport
import Testing

@testable import CarnetLint

/// Docs/security.md says of every error of lint what stops such a descriptor in a host without the linter.
@Suite("Table of protections without the linter")
struct SecurityTableTests {
    private struct Row {
        let codes: [String]
        let protection: String
    }

    private let rows: [Row]
    private let others: [String]

    init() throws {
        let page = try Repository.file("Docs/security.md").text
        let section = page.components(of: "## Descriptors without the linter", until: "\n## ")
        rows = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst().map { line in
            let cells = line.split(separator: "|").map { String($0) }
            return Row(codes: Self.codes(in: cells[0]), protection: cells[1])
        }
        let start = try #require(section.firstRange(of: "The other errors ("))
        others = Self.codes(in: String(section[start.upperBound...].prefix { $0 != ")" }))
    }

    /// The codes of a list, in which `R002 to R005` has those between, too.
    private static func codes(in text: String) -> [String] {
        let words = text.split { " ,\n|".contains($0) }.map(String.init)
        return words.indices.flatMap { index -> [String] in
            guard words[index] == "to" else { return words[index].count == 4 ? [words[index]] : [] }
            let (first, last) = (words[index - 1], words[index + 1])
            guard let low = Int(first.dropFirst()), let high = Int(last.dropFirst()), low < high else { return [] }
            return (low + 1..<high).map { number in
                let digits = String(number)
                return "\(first.prefix(1))\(String(repeating: "0", count: 3 - digits.count))\(digits)"
            }
        }
    }

    @Test("names every error of a rule once")
    func isComplete() {
        // What makes a file unusable is refused by the reader, with or without lint.
        let errors = DiagnosticCatalog.all
            .filter { $0.severity == .error && !["D00", "D01", "K0"].contains(where: $0.code.hasPrefix) }.map(\.code)
        let named = rows.flatMap(\.codes) + others
        #expect(Set(errors).subtracting(named).isEmpty, "\(Set(errors).subtracting(named).sorted())")
        #expect(Set(named).subtracting(errors).isEmpty, "\(Set(named).subtracting(errors).sorted())")
        #expect(named.count == Set(named).count)
    }

    @Test("says truly where resolve throws")
    func isTrue() throws {
        let codes = rows.filter { $0.protection.hasPrefix(" `resolve` throws") }.flatMap(\.codes)
        #expect(codes.count > 8)
        for rule in LintRuleCatalog.all.map(\.explanation) where codes.contains(rule.code) {
            for example in rule.bad {
                let document = DescriptorDocument(MarkedExample(completing: example).file(named: "acme.yaml"))
                // The reader may refuse it already.
                guard let descriptor = document.descriptor else { continue }
                let inputs = descriptor.simulatedInputs().values
                let error = #expect(throws: ResolutionError.self, "\(rule.code): \(example)") {
                    try descriptor.resolve(inputs: inputs)
                }
                #expect(error?.summary.contains("has no value") == false, "\(rule.code): \(example)")
            }
        }
    }
}

extension String {
    fileprivate func components(of start: String, until end: String) -> String {
        guard let start = firstRange(of: start) else { return "" }
        let rest = String(self[start.upperBound...])
        return rest.firstRange(of: end).map { String(rest[..<$0.lowerBound]) } ?? rest
    }
}
