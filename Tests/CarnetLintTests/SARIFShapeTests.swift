import CarnetDescriptors
import CarnetLint
import Foundation
import Testing

/// SARIF against the parts of the SARIF 2.1.0 schema that Carnet writes: their members, which of them must be there, their
/// types and the limits of their values. A member that is not here is one too many.
@Suite struct SARIFShapeTests {
    private indirect enum Shape: Sendable {
        case text
        case uri
        case number(from: Int)
        case oneOf([String])
        case list(Shape)
        case object(required: [String: Shape], optional: [String: Shape] = [:])
    }

    private static let message = Shape.object(required: ["text": .text], optional: ["markdown": .text])
    private static let artifact = Shape.object(required: ["uri": .uri])
    private static let level = Shape.oneOf(["none", "note", "warning", "error"])
    private static let region = Shape.object(
        required: ["startLine": .number(from: 1)],
        optional: ["startColumn": .number(from: 1), "endLine": .number(from: 1), "endColumn": .number(from: 1)])
    private static let place = Shape.object(required: ["artifactLocation": artifact], optional: ["region": region])
    private static let location = Shape.object(required: ["physicalLocation": place], optional: ["message": message])
    private static let replacement = Shape.object(
        required: ["deletedRegion": region], optional: ["insertedContent": .object(required: ["text": .text])])
    private static let change = Shape.object(
        required: ["artifactLocation": artifact, "replacements": .list(replacement)])
    private static let fix = Shape.object(
        required: ["artifactChanges": .list(change)], optional: ["description": message])
    private static let result = Shape.object(
        required: ["message": message],
        optional: [
            "ruleId": .text, "ruleIndex": .number(from: -1), "level": level, "locations": .list(location),
            "relatedLocations": .list(location), "fixes": .list(fix),
        ])
    private static let rule = Shape.object(
        required: ["id": .text],
        optional: [
            "name": .text, "shortDescription": message, "fullDescription": message, "help": message, "helpUri": .uri,
            "defaultConfiguration": .object(required: [:], optional: ["level": level]),
        ])
    private static let driver = Shape.object(required: ["name": .text], optional: ["rules": .list(rule)])
    private static let run = Shape.object(
        required: ["tool": .object(required: ["driver": driver])],
        optional: [
            "columnKind": .oneOf(["utf16CodeUnits", "unicodeCodePoints"]), "results": .list(result),
            "artifacts": .list(.object(required: ["location": artifact])),
        ])
    private static let log = Shape.object(
        required: ["version": .oneOf(["2.1.0"]), "runs": .list(run)], optional: ["$schema": .uri])

    /// What is wrong with a value, with where.
    private func problems(_ value: JSONValue, _ shape: Shape, at path: String = "") -> [String] {
        switch shape {
        case .text: return value.string == nil ? ["\(path) is no text"] : []
        case .uri:
            let isURI = value.string.map { !$0.isEmpty && URL(string: $0) != nil && !$0.contains(" ") } ?? false
            return isURI ? [] : ["\(path) is no URI reference"]
        case .number(let minimum): return (value.integer ?? minimum - 1) < minimum ? ["\(path) is no such number"] : []
        case .oneOf(let words): return words.contains(value.string ?? "") ? [] : ["\(path) is none of \(words)"]
        case .list(let element):
            guard let elements = value.array else { return ["\(path) is no list"] }
            return elements.enumerated().flatMap { problems($1, element, at: "\(path)/\($0)") }
        case .object(let required, let optional):
            guard let object = value.object else { return ["\(path) is no object"] }
            let missing = required.keys.filter { object[$0] == nil }.map { "\(path)/\($0) is missing" }
            return missing
                + object.members.flatMap { member -> [String] in
                    guard let shape = required[member.name] ?? optional[member.name] else {
                        return ["\(path)/\(member.name) is not in the schema"]
                    }
                    return problems(member.value, shape, at: "\(path)/\(member.name)")
                }
        }
    }

    @Test func `every finding of every rule makes valid SARIF`() throws {
        let examples = RuleCatalog.all.flatMap { rule in
            rule.bad.enumerated().map { MarkedExample(completing: $1).file(named: "p/\(rule.code) \($0).yaml") }
        }
        let report = Linter().lint(files: examples, unreadable: [.init(path: "/a b/ä.yaml", reason: .notFound)])
        #expect(report.diagnostics.contains { $0.fix != nil })
        #expect(report.diagnostics.contains { !$0.related.isEmpty })
        let text = SARIFReporter(documentation: "https://docs.example/lint").render(report)
        let document = try JSONValue(parsing: text)
        #expect(problems(document, Self.log) == [])
        let rules = document[JSONPointer(tokens: ["runs", "0", "tool", "driver", "rules"])]?.array ?? []
        #expect(Set(rules.compactMap { $0["id"]?.string }) == Set(report.diagnostics.map(\.code)))
        #expect(rules.allSatisfy { $0["helpUri"]?.string?.hasPrefix("https://docs.example/lint/") == true })
    }

    @Test func `what is not in the schema is seen`() {
        #expect(problems(["version": "2.1.0", "runs": [["tool": ["driver": [:]], "x": 1]]], Self.log).count == 2)
    }
}
